/* SPDX-License-Identifier: Apache-2.0 */
/* A chain that comes after all other tasks, as nothing says that it is urgent, or first. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "prio"), us = 4000, urgent = faulty ? 0 : 5;
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof(value));
  starpu_pause();
  for (int i = 0; i < 60; i++) starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0);
  for (int i = 0; i < 20; i++)
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_RW, handle, /* FAULT */
                       STARPU_PRIORITY, urgent, 0);
  starpu_resume();
  starpu_data_unregister(handle);
  return ends();
}
