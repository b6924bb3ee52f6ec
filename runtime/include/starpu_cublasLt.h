/* SPDX-License-Identifier: Apache-2.0
 * cuBLASLt on every CUDA device: a handle a worker, that works in its stream. A line says so when
 * the library is missing; without CUDA workers nothing is done. */
#ifndef __STARPU_CUBLASLT_H__
#define __STARPU_CUBLASLT_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cublasLt_init(void);
void starpu_cublasLt_shutdown(void);
struct cublasLtContext; /* cublasLtHandle_t points to it */
/* Of the CUDA worker that calls; NULL elsewhere. */
struct cublasLtContext* starpu_cublasLt_get_local_handle(void);

#ifdef __cplusplus
}
#endif

#endif
