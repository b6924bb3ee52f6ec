/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of two tasks, each of which needs both of the step before, or tasks on their own. */
#include "program.h"

#define STEPS 20

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws"), us = 4000;
  int values[STEPS][2] = {{0}};
  starpu_data_handle_t h[STEPS][2];
  for (int i = 0; i < 2 * STEPS; i++)
    starpu_variable_data_register(&h[i / 2][i % 2], STARPU_MAIN_RAM,
                                  (uintptr_t)&values[i / 2][i % 2], sizeof(int));
  starpu_pause();
  for (int i = 0; i < 2 * STEPS; i++) {
    const int step = i / 2;
    if (!faulty || step == 0)
      starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_W, h[step][i % 2], 0);
    else
      starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_R, h[step - 1][0], /* FAULT */
                         STARPU_R, h[step - 1][1], STARPU_W, h[step][i % 2], 0);
  }
  starpu_resume();
  for (int i = 0; i < 2 * STEPS; i++) starpu_data_unregister(h[i / 2][i % 2]);
  return ends();
}
