/* SPDX-License-Identifier: Apache-2.0 */
/* How long must a task be for the runtime to be no burden? tasks_size_overhead [-i tasks] [-c least
 * CPUs] [-C most] [-s step] [-t least us] [-T most] [-f factor] runs so many tasks for each CPU,
 * for each number of CPUs and each length of tasks, and prints what they took, in seconds: as long
 * as they take one after the other ("seq") where the runtime costs nothing.
 * tasks_size_overhead_plot.py makes a picture of it. */
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void spin(void* buffers[], void* us) {
  (void)buffers;
  const double end_us = starpu_timing_now() + (double)(uintptr_t)us;
  while (starpu_timing_now() < end_us) {
  }
}
static double length(struct starpu_task* task, unsigned implementation) {
  (void)implementation;
  return (double)(uintptr_t)task->cl_arg;
}
static struct starpu_perfmodel model = {.type = STARPU_COMMON, .cost_function = length};
static struct starpu_codelet codelet = {.cpu_funcs = {spin}, .model = &model, .name = "spin"};

/* Seconds of so many tasks, for each CPU. */
static double run(int count, int cpus, int us) {
  const double start_us = starpu_timing_now();
  for (int i = 0; i < count * cpus; i++) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = (void*)(uintptr_t)us;
    if (starpu_task_submit(task) != 0) abort();
  }
  starpu_task_wait_for_all();
  return (starpu_timing_now() - start_us) / cpus / 1e6;
}

int main(int argc, char** argv) {
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  if (starpu_init(&conf) != 0) return 77;
  int tasks = 64, least = 1, most = (int)starpu_cpu_worker_get_count(), step = 1, from_us = 4,
      to_us = 4096, factor = 2;
  starpu_shutdown();
  for (int i = 1; i + 1 < argc; i += 2) {
    const char* const letters = "icCstTf";
    int* const values[] = {&tasks, &least, &most, &step, &from_us, &to_us, &factor};
    const char* const letter = argv[i][0] == '-' ? strchr(letters, argv[i][1]) : NULL;
    if (!letter || atoi(argv[i + 1]) < 1) return fprintf(stderr, "what is %s?\n", argv[i]), 2;
    *values[letter - letters] = atoi(argv[i + 1]);
  }
  if (factor < 2) return fprintf(stderr, "-f 2 is the least: lengths grow\n"), 2;

  printf("# tasks : %d buffers : 0 total_nbuffers : 0\n# ncpus\t", tasks);
  for (int us = from_us; us <= to_us; us *= factor) printf("%d iters(us)\ttotal(s)\t", us);
  printf("\n\"seq\"\t");
  for (int us = from_us; us <= to_us; us *= factor) {
    const double start_us = starpu_timing_now();
    for (int i = 0; i < tasks; i++) spin(NULL, (void*)(uintptr_t)us);
    const double took_us = starpu_timing_now() - start_us;
    printf("%.0f\t%f\t", took_us / tasks, took_us / 1e6);
  }
  printf("\n");
  conf.precedence_over_environment_variables = 1; /* of STARPU_NCPU */
  for (int cpus = least; cpus <= most; cpus += step) {
    conf.ncpus = cpus;
    if (starpu_init(&conf) != 0) return 77;
    printf("%d\t", cpus);
    for (int us = from_us; us <= to_us; us *= factor) printf("%d\t%f\t", us, run(tasks, cpus, us));
    printf("\n");
    starpu_shutdown();
  }
  return 0;
}
