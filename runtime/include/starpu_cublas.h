/* SPDX-License-Identifier: Apache-2.0
 * cuBLAS on every CUDA device: a handle a worker, that works in its stream. A line says so when the
 * library is missing; without CUDA workers nothing is done. */
#ifndef __STARPU_CUBLAS_H__
#define __STARPU_CUBLAS_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cublas_init(void);
void starpu_cublas_shutdown(void);
/* For calls of the old interface, which has one stream a device: the calling worker's. */
void starpu_cublas_set_stream(void);

#ifdef __cplusplus
}
#endif

#endif
