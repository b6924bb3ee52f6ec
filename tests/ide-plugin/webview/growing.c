// SPDX-License-Identifier: Apache-2.0
// Runs as many tasks as each line of its standard input says, a chain of them, and says so.
#include <starpu.h>
#include <stdio.h>

static void Work(void* buffers[], void* arguments) {
  (void)arguments;
  ++*(int*)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static struct starpu_codelet work = {
    .cpu_funcs = {Work}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "work"};

int main(void) {
  if (starpu_init(NULL) != 0) return 77;
  int value = 0, count = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
  while (scanf("%d", &count) == 1) {
    for (int i = 0; i < count; ++i)
      if (starpu_task_insert(&work, STARPU_RW, handle, 0) != 0) return 1;
    starpu_task_wait_for_all();
    printf("done\n");
    fflush(stdout);
  }
  starpu_data_unregister(handle);
  starpu_shutdown();
  return 0;
}
