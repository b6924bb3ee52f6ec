/* SPDX-License-Identifier: Apache-2.0
 * Start, stop, and a million tasks: runtime_limits [tasks]. Plain StarPU, so that the same source
 * measures the real one. The tasks depend on each other through their data, 64 chains of them, and
 * are submitted as fast as it goes. Prints: start ms, stop ms (least of ten), us a task, and MiB
 * that the tasks added to the largest size of the process. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { CHAINS = 64 };

static void add(void* buffers[], void* arg) {
  (void)arg;
  ++*(uint64_t*)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {add}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "add"};

/* StarPU's own clock begins with starpu_init(). */
static double now_us(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static long peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? atoi(argv[1]) : 1000000;
  double start_us = 1e12, stop_us = 1e12;
  for (int i = 0; i < 10; i++) {
    const double before = now_us();
    if (starpu_init(NULL) != 0) return 77;
    const double started = now_us();
    starpu_shutdown();
    const double stopped = now_us();
    if (started - before < start_us) start_us = started - before;
    if (stopped - started < stop_us) stop_us = stopped - started;
  }
  if (starpu_init(NULL) != 0) return 77;
  static uint64_t values[CHAINS];
  starpu_data_handle_t handles[CHAINS];
  for (int i = 0; i < CHAINS; i++)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i],
                                  sizeof(values[i]));
  const long before_kib = peak_kib();
  const double before = now_us();
  for (int i = 0; i < tasks; i++) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = handles[i % CHAINS];
    if (starpu_task_submit(task) != 0) return 1;
  }
  starpu_task_wait_for_all();
  const double us = now_us() - before;
  const long mib = (peak_kib() - before_kib) / 1024;
  uint64_t sum = 0;
  for (int i = 0; i < CHAINS; i++) {
    starpu_data_unregister(handles[i]);
    sum += values[i];
  }
  starpu_shutdown();
  if (sum != (uint64_t)tasks) return 1;
  printf("%.2f %.2f %.3f %ld\n", start_us / 1000, stop_us / 1000, us / tasks, mib);
  return 0;
}
