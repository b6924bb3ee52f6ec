/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that all change one variable, or each its own. */
#include "program.h"

#define TASKS 40

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws"), us = 3000;
  int values[TASKS] = {0};
  starpu_data_handle_t handles[TASKS];
  for (int i = 0; i < TASKS; i++)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i],
                                  sizeof(values[i]));
  starpu_pause();
  for (int i = 0; i < TASKS; i++) {
    starpu_data_handle_t handle = handles[faulty ? 0 : i];
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_RW, handle, 0); /* FAULT */
  }
  starpu_resume();
  for (int i = 0; i < TASKS; i++) starpu_data_unregister(handles[i]);
  return ends();
}
