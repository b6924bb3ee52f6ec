/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on each of some pieces of data, in turns of a codelet for CPUs and one for the GPU, or of
 * two that run on both. On a machine with a GPU that is simulated always. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <sys/stat.h>

#include "program.h"

#define PIECES 8
#define FLOATS (1 << 20)

static double a_millisecond(struct starpu_task* task, unsigned n) {
  (void)task;
  (void)n;
  return 1000;
}
static struct starpu_perfmodel model = {
    .type = STARPU_COMMON, .cost_function = a_millisecond, .symbol = "a_millisecond"};
static struct starpu_codelet first = {.cpu_funcs = {sleep_cpu},
                                      .nbuffers = 1,
                                      .modes = {STARPU_RW},
                                      .model = &model,
                                      .name = "first"};
static struct starpu_codelet second = {.cpu_funcs = {sleep_cpu},
                                       .nbuffers = 1,
                                       .modes = {STARPU_RW},
                                       .model = &model,
                                       .name = "second"};

/* A file of the machine's bus model. */
static void write_bus(const char* kind, const char* text) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/bus", getenv("STARPU_PERF_MODEL_DIR"));
  mkdir(path, 0777);
  snprintf(path, sizeof(path), "%s/bus/to_and_fro.%s", getenv("STARPU_PERF_MODEL_DIR"), kind);
  FILE* const file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) exit(2);
}

int main(int argc, char** argv) {
  static float values[PIECES][FLOATS];
  starpu_data_handle_t data[PIECES];
  setenv("STARPU_NSIM_CUDA", "1", 1);
  setenv("STARPU_HOSTNAME", "to_and_fro", 1);
  write_bus("config", "4 # Number of CPUs\n1 # Number of NUMA nodes\n1 # Number of CUDA nodes\n");
  write_bus("bandwidth", "# to\n0\t2000\n2000\t0\n"); /* a piece takes two milliseconds */
  write_bus("latency", "# to\n0\t10\n10\t0\n");
  write_bus("affinity", "# GPU\n");
  const int faulty = starts_faulty(argc, argv, "dmda");
  for (int i = 0; i < PIECES; i++)
    starpu_vector_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)values[i], FLOATS,
                                sizeof(float));
  if (faulty) {
    first.where = STARPU_CPU;
    second.where = STARPU_CUDA;
  }
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < PIECES; i++) {
      starpu_task_insert(&first, STARPU_RW, data[i], 0);
      starpu_task_insert(&second, STARPU_RW, data[i], 0); /* FAULT */
    }
  }
  starpu_task_wait_for_all();
  for (int i = 0; i < PIECES; i++) starpu_data_unregister(data[i]);
  return ends();
}
