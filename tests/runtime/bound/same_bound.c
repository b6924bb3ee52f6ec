/* SPDX-License-Identifier: Apache-2.0 */
/* same_bound alone|chains|priorities LP_FILE MPS_FILE: the bound of tasks whose model has been
 * measured, alone or in chains through their data; the same program for StarPU and for the runtime
 * here. */
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void nothing(void* buffers[], void* argument) { (void)buffers, (void)argument; }
static uint32_t footprint(struct starpu_task* task) { return (uint32_t)(uintptr_t)task->cl_arg; }

static struct starpu_perfmodel model = {
    .type = STARPU_HISTORY_BASED, .symbol = "same_bound", .footprint = footprint};
static struct starpu_codelet codelet = {.cpu_funcs = {nothing},
                                        .nbuffers = 1,
                                        .modes = {STARPU_RW},
                                        .model = &model,
                                        .name = "same_bound"};

static void submit(starpu_data_handle_t handle, uintptr_t kind, int priority) {
  struct starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->handles[0] = handle;
  task->cl_arg = (void*)kind;
  task->cl_arg_size = 0;
  task->priority = priority;
  if (starpu_task_submit(task)) abort();
}

int main(int argc, char** argv) {
  starpu_data_handle_t handles[3];
  int values[3] = {0};
  double relaxed = 0, whole = 0;
  if (argc != 4 || starpu_init(NULL)) return 77;
  const int priorities = strcmp(argv[1], "priorities") == 0;
  const int deps = priorities || strcmp(argv[1], "chains") == 0;
  for (int i = 0; i < 3; i++)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i],
                                  sizeof(values[i]));
  starpu_bound_start(deps, priorities);
  submit(handles[0], 1, 0);
  submit(handles[0], 2, 0);
  submit(handles[1], 3, 0);
  submit(handles[1], 3, 1); /* before the last one, which then is late */
  submit(handles[2], 2, 0);
  starpu_task_wait_for_all();
  starpu_bound_stop();
  FILE* lp = fopen(argv[2], "w");
  starpu_bound_print_lp(lp);
  fclose(lp);
  if (!deps) {
    FILE* mps = fopen(argv[3], "w");
    starpu_bound_print_mps(mps);
    fclose(mps);
    starpu_bound_compute(&relaxed, &whole, 1);
    printf("%f %f\n", relaxed, whole);
    starpu_bound_print(stdout, 0);
  }
  for (int i = 0; i < 3; i++) starpu_data_unregister(handles[i]);
  starpu_shutdown();
  return 0;
}
