/* SPDX-License-Identifier: Apache-2.0
 * hipBLAS and hipSOLVER on every HIP device. There are none: the functions succeed and do nothing.
 */
#ifndef __STARPU_HIPBLAS_H__
#define __STARPU_HIPBLAS_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_hipblas_init(void);
void starpu_hipblas_shutdown(void);
void starpu_hipsolver_init(void);
void starpu_hipsolver_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
