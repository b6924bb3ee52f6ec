/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of tasks that pass a temporary value: all through one piece of data, or each its own. */
#include "program.h"

#define PAIRS 40

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws"), us = 1500;
  int temporary[PAIRS] = {0}, result[PAIRS] = {0};
  starpu_data_handle_t t[PAIRS], r[PAIRS];
  for (int i = 0; i < PAIRS; i++) {
    starpu_variable_data_register(&t[i], STARPU_MAIN_RAM, (uintptr_t)&temporary[i], sizeof(int));
    starpu_variable_data_register(&r[i], STARPU_MAIN_RAM, (uintptr_t)&result[i], sizeof(int));
  }
  starpu_pause();
  for (int i = 0; i < PAIRS; i++) {
    starpu_data_handle_t passed = t[faulty ? 0 : i];
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_W, passed, 0); /* FAULT */
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_R, passed, STARPU_RW, r[i], 0);
  }
  starpu_resume();
  for (int i = 0; i < PAIRS; i++) {
    starpu_data_unregister(t[i]);
    starpu_data_unregister(r[i]);
  }
  return ends();
}
