/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps over tiles whose neighbours must be done before: one tile has six times the work of the
 * others, or all share it. */
#include "program.h"

#define TILES 8
#define SWEEPS 15

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws");
  int values[2][TILES] = {{0}};
  starpu_data_handle_t h[2][TILES];
  for (int i = 0; i < 2 * TILES; i++)
    starpu_variable_data_register(&h[i / TILES][i % TILES], STARPU_MAIN_RAM,
                                  (uintptr_t)&values[i / TILES][i % TILES], sizeof(int));
  starpu_pause();
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int i = 0; i < TILES; i++) {
      const int us = !faulty ? 3250 : i == 3 ? 12000 : 2000;
      starpu_data_handle_t* const from = h[sweep % 2];
      starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_R, from[i], /* FAULT */
                         STARPU_R, from[(i + 1) % TILES], STARPU_R, from[(i + TILES - 1) % TILES],
                         STARPU_RW, h[(sweep + 1) % 2][i], 0);
    }
  starpu_resume();
  for (int i = 0; i < 2 * TILES; i++) starpu_data_unregister(h[i / TILES][i % TILES]);
  return ends();
}
