/* SPDX-License-Identifier: Apache-2.0
 * cuSOLVER on every CUDA device. There are none: the functions succeed and do nothing. */
#ifndef __STARPU_CUSOLVER_H__
#define __STARPU_CUSOLVER_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cusolver_init(void);
void starpu_cusolver_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
