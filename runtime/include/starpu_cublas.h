/* SPDX-License-Identifier: Apache-2.0
 * cuBLAS on every CUDA device. There are none: the functions succeed and do nothing. */
#ifndef __STARPU_CUBLAS_H__
#define __STARPU_CUBLAS_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cublas_init(void);
void starpu_cublas_shutdown(void);
void starpu_cublas_set_stream(void);

#ifdef __cplusplus
}
#endif

#endif
