/* SPDX-License-Identifier: Apache-2.0 */
/* A function for GPUs takes five times as long as that for CPUs, or a fifth. On a machine with a
 * GPU that is simulated always. */
#include "program.h"

static int faulty;

static double on_both(struct starpu_task* task, struct starpu_perfmodel_arch* arch, unsigned n) {
  (void)task;
  (void)n;
  if (arch->devices[0].type != STARPU_CUDA_WORKER) return 1000;
  return faulty ? 5000 : 200;
}
static struct starpu_perfmodel both_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = on_both, .symbol = "both"};
static struct starpu_codelet both = {
    .cpu_funcs = {sleep_cpu}, .model = &both_model, .name = "both"};

int main(int argc, char** argv) {
  setenv("STARPU_NSIM_CUDA", "2", 1);
  faulty = starts_faulty(argc, argv, "eager");
  for (int i = 0; i < 200; i++) starpu_task_insert(&both, 0); /* FAULT */
  return ends();
}
