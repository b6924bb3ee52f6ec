/* SPDX-License-Identifier: Apache-2.0 */
/* One of four workers takes six times as long as the others, or none does. */
#include "program.h"

static int faulty;

static double on_worker(struct starpu_task* task, unsigned worker, unsigned implementation) {
  (void)task;
  (void)implementation;
  return faulty && worker == 3 ? 6000 : 1000;
}
static struct starpu_perfmodel model = {
    .type = STARPU_PER_WORKER, .worker_cost_function = on_worker, .symbol = "by_worker"};
static struct starpu_codelet even = {.cpu_funcs = {sleep_cpu}, .model = &model, .name = "even"};

int main(int argc, char** argv) {
  faulty = starts_faulty(argc, argv, "eager");
  for (int i = 0; i < 120; i++) starpu_task_insert(&even, 0); /* FAULT */
  return ends();
}
