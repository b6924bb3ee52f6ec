/* SPDX-License-Identifier: Apache-2.0 */
/* Most of the time goes to a codelet that runs on CPUs alone, beside a GPU that has nothing to do
 * for most of it, or that runs on both. On a machine with a GPU that is simulated always. */
#include "program.h"

static double on_both(struct starpu_task* task, struct starpu_perfmodel_arch* arch, unsigned n) {
  (void)task;
  (void)n;
  return arch->devices[0].type == STARPU_CUDA_WORKER ? 1000 : 4000;
}
static struct starpu_perfmodel both_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = on_both, .symbol = "both"};
static struct starpu_codelet costly = {
    .cpu_funcs = {sleep_cpu}, .model = &both_model, .name = "costly"};
static struct starpu_codelet cheap = {
    .cpu_funcs = {sleep_cpu}, .model = &both_model, .name = "cheap"};

int main(int argc, char** argv) {
  setenv("STARPU_NSIM_CUDA", "1", 1);
  const int faulty = starts_faulty(argc, argv, "dmda");
  if (faulty) costly.where = STARPU_CPU;
  for (int i = 0; i < 400; i++) starpu_task_insert(i % 8 ? &costly : &cheap, 0); /* FAULT */
  return ends();
}
