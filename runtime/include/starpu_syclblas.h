/* SPDX-License-Identifier: Apache-2.0
 * BLAS on every SYCL device. There are none: the functions succeed and do nothing. */
#ifndef __STARPU_SYCLBLAS_H__
#define __STARPU_SYCLBLAS_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_syclblas_init(void);
void starpu_syclblas_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
