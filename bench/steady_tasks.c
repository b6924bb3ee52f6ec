/* SPDX-License-Identifier: Apache-2.0
 * A fixed amount of work: steady_tasks [tasks [microseconds of each]]. Says "ready", begins when a
 * line comes, and prints how long that took and the processor time of it, in seconds. The tasks
 * are submitted while others run, a few thousand ahead.
 */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static volatile unsigned long sink;
static unsigned long rounds_a_task;

static void spin(unsigned long rounds) {
  unsigned long value = 1;
  for (unsigned long i = 0; i < rounds; i++) value = value * 6364136223846793005ul + i;
  sink = value;
}

static void work(void* buffers[], void* arg) {
  (void)buffers;
  (void)arg;
  spin(rounds_a_task);
}

static struct starpu_codelet codelet = {.cpu_funcs = {work}, .nbuffers = 0, .name = "work"};

static double processor_seconds(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_utime.tv_sec + use.ru_stime.tv_sec +
         1e-6 * (use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? atoi(argv[1]) : 200000;
  const double us = argc > 2 ? atof(argv[2]) : 20;
  /* The number of rounds is a constant, so that every run does the same. */
  rounds_a_task = (unsigned long)(us * 700);
  if (starpu_init(NULL) != 0) return 77;
  printf("ready\n");
  fflush(stdout);
  getchar();
  const double cpu = processor_seconds(), start = starpu_timing_now();
  for (int i = 0; i < tasks; i++) {
    if (starpu_task_insert(&codelet, 0) != 0) return 1;
    while (i % 1000 == 0 && starpu_task_nsubmitted() > 4000) starpu_usleep(1000);
  }
  starpu_task_wait_for_all();
  printf("%.4f %.4f\n", 1e-6 * (starpu_timing_now() - start), processor_seconds() - cpu);
  starpu_shutdown();
  return 0;
}
