/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on data of their own; each is told by tags to wait for the one before, or none is. */
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
  for (starpu_tag_t i = 0; i < TASKS; i++) {
    if (faulty && i > 0) starpu_tag_declare_deps(i, 1, i - 1); /* FAULT */
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_RW, handles[i], STARPU_TAG, i,
                       0);
  }
  starpu_resume();
  for (int i = 0; i < TASKS; i++) starpu_data_unregister(handles[i]);
  return ends();
}
