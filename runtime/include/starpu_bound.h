/* SPDX-License-Identifier: Apache-2.0
 * The shortest time that tasks could have taken: those submitted between start and stop, with the
 * lengths that their performance models know for each worker when somebody asks. Where a model does
 * not know, or there is none, the mean of what such tasks took on such workers between start and
 * stop counts; where neither is known, a task cannot run. Tasks of a codelet and footprint are one
 * kind. Solved by COIN-OR Cbc, whose library (coinor-libcbc3) is loaded when it is needed.
 *
 * Asked for after starpu_init() and before starpu_shutdown(). */
#ifndef __STARPU_BOUND_H__
#define __STARPU_BOUND_H__

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forgets what was noted before. deps: tasks wait for others as they do in the program (through
 * data, tags and declared dependencies), and for their data when these come from another memory
 * node. prio: a task does not begin before one of higher priority that could begin. */
void starpu_bound_start(int deps, int prio);
void starpu_bound_stop(void);
/* Milliseconds. *res: without deps, all workers end together, and share tasks in parts; with deps,
 * the same, and the longest chain. *integer_res, if `integer`: whole tasks on a worker each, with
 * deps in the best order (of some ten tasks; the work grows with the square of their number, and
 * worse). Both are 0 when nothing was noted, and, with a line on standard error, when a task can
 * run nowhere. When the best is not found in a minute, a line says so, and the result is what was
 * proved: no schedule is shorter. Either pointer may be NULL. */
void starpu_bound_compute(double* res, double* integer_res, int integer);
/* That as text, with how many of each kind each worker gets (w0t1n: worker 0, second kind), or with
 * deps the worker (t12w0), start (s12) and end (c12) of each task. */
void starpu_bound_print(FILE* output, int integer);
/* The linear program, in the form of lp_solve (whose solution with deps starpu_lp2paje reads), or
 * as MPS (free MPS with deps, as names are long). */
void starpu_bound_print_lp(FILE* output);
void starpu_bound_print_mps(FILE* output);
/* The tasks and their dependencies, if they were noted. */
void starpu_bound_print_dot(FILE* output);

#ifdef __cplusplus
}
#endif

#endif
