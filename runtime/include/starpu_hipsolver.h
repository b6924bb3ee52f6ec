/* SPDX-License-Identifier: Apache-2.0
 * hipSOLVER on every HIP device: see starpu_hipblas.h. */
#ifndef __STARPU_HIPSOLVER_H__
#define __STARPU_HIPSOLVER_H__

#include <starpu_hipblas.h>

#endif
