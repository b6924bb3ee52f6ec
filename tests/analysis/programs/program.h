/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs for advice share. Each is named after a rule: `PROGRAM faulty` has its fault,
 * `PROGRAM clean` does the same work without. On a simulated machine (STARPU_NSIM_CUDA=0) tasks
 * take exactly as long as they say, by their model, so that a run is the same on any machine at any
 * load; elsewhere they sleep rather than compute. The line of the fault is marked with the word
 * that the test looks for. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setenv() */
#endif
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

static void sleep_cpu(void* buffers[], void* arguments) {
  int us;
  (void)buffers;
  starpu_codelet_unpack_args(arguments, &us);
  starpu_usleep(us);
}

static double length_us(struct starpu_task* task, unsigned implementation) {
  int us;
  (void)implementation;
  starpu_codelet_unpack_args(task->cl_arg, &us);
  return us;
}
static struct starpu_perfmodel work_model = {
    .type = STARPU_COMMON, .cost_function = length_us, .symbol = "work"};

/* Takes an int of microseconds; any data. */
__attribute__((unused)) static struct starpu_codelet work = {.cpu_funcs = {sleep_cpu},
                                                             .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                             .model = &work_model,
                                                             .name = "work"};

/* Whether the fault is asked for. */
static inline int starts_faulty(int argc, char** argv, const char* policy) {
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 4;
  conf.sched_policy_name = policy;
  if (argc != 2 || starpu_init(&conf) != 0) exit(2);
  return strcmp(argv[1], "faulty") == 0;
}

static inline int ends(void) {
  starpu_task_wait_for_all();
  starpu_shutdown();
  return 0;
}
