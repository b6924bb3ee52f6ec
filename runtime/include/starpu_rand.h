/* SPDX-License-Identifier: Apache-2.0
 * Pseudo-random numbers; STARPU_RAND_SEED replaces the seed that the program gives. */
#ifndef __STARPU_RAND_H__
#define __STARPU_RAND_H__

#include <starpu_config.h>
#include <starpu_helper.h>
#include <stdlib.h>

#define starpu_seed(seed) starpu_getenv_number_default("STARPU_RAND_SEED", (seed))
#define starpu_srand48(seed) srand48(starpu_seed(seed))
#define starpu_drand48() drand48()
#define starpu_lrand48() lrand48()
#define starpu_erand48(xsubi) erand48(xsubi)
typedef struct drand48_data starpu_drand48_data;
#define starpu_srand48_r(seed, buffer) srand48_r(starpu_seed(seed), (buffer))
#define starpu_drand48_r(buffer, result) drand48_r((buffer), (result))
#define starpu_lrand48_r(buffer, result) lrand48_r((buffer), (result))
#define starpu_erand48_r(xsubi, buffer, result) erand48_r((xsubi), (buffer), (result))

#endif
