// SPDX-License-Identifier: Apache-2.0
/* A program that leaves parts of itself out of its trace: argument 0: all of it, 1: the middle. */
#include <starpu.h>
#include <starpu_fxt.h>
#include <stdlib.h>

static void nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}
static struct starpu_codelet codelet = {.cpu_funcs = {nothing}, .name = "nothing"};

static void run_tasks(void) {
  for (int i = 0; i < 10; i++) starpu_task_insert(&codelet, 0);
  starpu_task_wait_for_all();
}

int main(int argc, char** argv) {
  const int in_the_middle = argc > 1 && atoi(argv[1]);
  if (!in_the_middle) starpu_fxt_autostart_profiling(0);
  if (starpu_init(NULL)) return 77;
  run_tasks();
  if (in_the_middle) {
    starpu_fxt_stop_profiling();
    run_tasks();
    starpu_fxt_start_profiling();
    run_tasks();
  }
  starpu_shutdown();
  return 0;
}
