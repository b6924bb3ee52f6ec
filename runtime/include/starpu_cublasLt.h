/* SPDX-License-Identifier: Apache-2.0
 * cuBLASLt on every CUDA device. There are none: the functions succeed and do nothing. */
#ifndef __STARPU_CUBLASLT_H__
#define __STARPU_CUBLASLT_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cublasLt_init(void);
void starpu_cublasLt_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
