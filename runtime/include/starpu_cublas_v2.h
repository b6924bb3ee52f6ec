/* SPDX-License-Identifier: Apache-2.0
 * The handle of cuBLAS' interface of today, for functions of codelets. */
#ifndef __STARPU_CUBLAS_V2_H__
#define __STARPU_CUBLAS_V2_H__

#include <starpu_config.h>

#if defined(STARPU_USE_CUDA) && !defined(STARPU_DONT_INCLUDE_CUDA_HEADERS)
#include <cublas_v2.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct cublasContext; /* cublasHandle_t points to it */
/* Of the CUDA worker that calls, once starpu_cublas_init() was called; it works in the worker's
 * stream. NULL elsewhere. */
struct cublasContext* starpu_cublas_get_local_handle(void);

#ifdef __cplusplus
}
#endif

#endif
