/* SPDX-License-Identifier: Apache-2.0
 * The shortest time that tasks could have taken: those submitted between start and stop, with the
 * lengths that were measured of them. Tasks of a codelet and footprint are one kind. */
#ifndef __STARPU_BOUND_H__
#define __STARPU_BOUND_H__

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forgets what was noted before. deps: notes dependencies for print_dot; prio is accepted, as the
 * bound does not depend on priorities. */
void starpu_bound_start(int deps, int prio);
void starpu_bound_stop(void);
/* Milliseconds. *res: all work shared evenly by the workers, which are all alike; *integer_res, if
 * `integer`: no less than that, than the longest task, and than what a worker gets that must take
 * one more task of a kind than the others. Both are 0 when nothing was measured. */
void starpu_bound_compute(double* res, double* integer_res, int integer);
/* One line of text with that. */
void starpu_bound_print(FILE* output, int integer);
/* The linear program, in the form of lp_solve or as MPS. */
void starpu_bound_print_lp(FILE* output);
void starpu_bound_print_mps(FILE* output);
/* The tasks and their dependencies, if they were noted. */
void starpu_bound_print_dot(FILE* output);

#ifdef __cplusplus
}
#endif

#endif
