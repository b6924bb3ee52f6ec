// SPDX-License-Identifier: Apache-2.0
/* Several runs of the runtime in one process, each with more tasks than the one before. */
#include <starpu.h>

static void nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}
static struct starpu_codelet codelet = {.cpu_funcs = {nothing}, .name = "nothing"};

int main(void) {
  for (int run = 1; run <= 3; run++) {
    if (starpu_init(NULL)) return 77;
    for (int i = 0; i < 100 * run; i++) starpu_task_insert(&codelet, 0);
    starpu_task_wait_for_all();
    starpu_shutdown();
  }
  return 0;
}
