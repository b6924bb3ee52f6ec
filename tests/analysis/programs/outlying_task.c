/* SPDX-License-Identifier: Apache-2.0 */
/* Eight chains of equal tasks, but for one that takes fifty times as long, or none. */
#include "program.h"

#define CHAINS 8
#define STEPS 12

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws");
  int values[CHAINS] = {0};
  starpu_data_handle_t handles[CHAINS];
  for (int i = 0; i < CHAINS; i++)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i],
                                  sizeof(values[i]));
  starpu_pause();
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < CHAINS; i++) {
      const int us = faulty && step == 6 && i == 3 ? 150000 : 3000;
      starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_RW, handles[i], /* FAULT */
                         0);
    }
  }
  starpu_resume();
  for (int i = 0; i < CHAINS; i++) starpu_data_unregister(handles[i]);
  return ends();
}
