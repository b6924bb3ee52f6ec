/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of high priority under a policy that does not look at priorities, or does. */
#include "program.h"

int main(int argc, char** argv) {
  starts_faulty(argc, argv, argc > 1 && strcmp(argv[1], "faulty") == 0 ? "eager" : "prio");
  const int us = 4000, chain = 5, others = 0;
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof(value));
  starpu_pause();
  for (int i = 0; i < 80; i++)
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_PRIORITY, others, 0);
  for (int i = 0; i < 20; i++)
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_RW, handle, /* FAULT */
                       STARPU_PRIORITY, chain, 0);
  starpu_resume();
  starpu_data_unregister(handle);
  return ends();
}
