/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of tasks that a GPU does in a tenth of the time, under a policy that gives them to whoever
 * is free, or one that looks at lengths. On a machine with GPUs that is simulated always. */
#include "program.h"

#define CHAINS 6

static double on_both(struct starpu_task* task, struct starpu_perfmodel_arch* arch, unsigned n) {
  (void)task;
  (void)n;
  return arch->devices[0].type == STARPU_CUDA_WORKER ? 1000 : 10000;
}
static struct starpu_perfmodel both_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = on_both, .symbol = "both"};
static struct starpu_codelet both = {.cpu_funcs = {sleep_cpu},
                                     .nbuffers = 1,
                                     .modes = {STARPU_RW},
                                     .model = &both_model,
                                     .name = "both"};

int main(int argc, char** argv) {
  int values[CHAINS] = {0};
  starpu_data_handle_t handles[CHAINS];
  setenv("STARPU_NSIM_CUDA", "2", 1);
  starts_faulty(argc, argv, argc == 2 && strcmp(argv[1], "faulty") == 0 ? "eager" : "dmda");
  for (int i = 0; i < CHAINS; i++)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof(int));
  for (int i = 0; i < 60; i++)
    starpu_task_insert(&both, STARPU_RW, handles[i % CHAINS], 0); /* FAULT */
  for (int i = 0; i < CHAINS; i++) starpu_data_unregister(handles[i]);
  return ends();
}
