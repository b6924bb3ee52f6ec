/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix multiplication in single precision: sgemm [-bound] [blocks [order]]. */
#define REAL float
#define MODEL "starpu_sgemm_gemm"
#include "examples/gemm.h"
