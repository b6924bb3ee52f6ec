/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix multiplication in double precision: dgemm [-bound] [blocks [order]]. */
#define REAL double
#define MODEL "starpu_dgemm_gemm"
#include "examples/gemm.h"
