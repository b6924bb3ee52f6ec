/* SPDX-License-Identifier: Apache-2.0
 * cuSOLVER on every CUDA device: a handle a worker, that works in its stream. A line says so when
 * the library is missing; without CUDA workers nothing is done. */
#ifndef __STARPU_CUSOLVER_H__
#define __STARPU_CUSOLVER_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cusolver_init(void);
void starpu_cusolver_shutdown(void);
struct cusolverDnContext; /* cusolverDnHandle_t points to it */
/* Of the CUDA worker that calls; NULL elsewhere. */
struct cusolverDnContext* starpu_cusolverDn_get_local_handle(void);

#ifdef __cplusplus
}
#endif

#endif
