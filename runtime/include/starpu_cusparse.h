/* SPDX-License-Identifier: Apache-2.0
 * cuSPARSE on every CUDA device. There are none: the functions succeed and do nothing. */
#ifndef __STARPU_CUSPARSE_H__
#define __STARPU_CUSPARSE_H__

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cusparse_init(void);
void starpu_cusparse_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
