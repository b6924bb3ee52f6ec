/* SPDX-License-Identifier: Apache-2.0
 * cuSPARSE on every CUDA device: a handle a worker, that works in its stream. A line says so when
 * the library is missing; without CUDA workers nothing is done. */
#ifndef __STARPU_CUSPARSE_H__
#define __STARPU_CUSPARSE_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cusparse_init(void);
void starpu_cusparse_shutdown(void);
struct cusparseContext; /* cusparseHandle_t points to it */
/* Of the CUDA worker that calls; NULL elsewhere. */
struct cusparseContext* starpu_cusparse_get_local_handle(void);

#ifdef __cplusplus
}
#endif

#endif
