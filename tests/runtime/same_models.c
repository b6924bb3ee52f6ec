// SPDX-License-Identifier: Apache-2.0
// same_models measure|tell: feeds models of three kinds with measures, or prints what they expect.
// For our runtime and StarPU alike.
#include <starpu.h>
#include <stdio.h>
#include <string.h>

static void Nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}

int main(int argc, char** argv) {
  const int measures = argc > 1 && strcmp(argv[1], "measure") == 0;
  static struct starpu_perfmodel models[] = {
      {.type = STARPU_HISTORY_BASED, .symbol = "same_history"},
      {.type = STARPU_REGRESSION_BASED, .symbol = "same_regression"},
      {.type = STARPU_NL_REGRESSION_BASED, .symbol = "same_shifted"},
  };
  static struct starpu_codelet codelet = {
      .cpu_funcs = {Nothing}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}};
  if (starpu_init(NULL) != 0) return 1;
  struct starpu_perfmodel_arch* const cpu = starpu_worker_get_perf_archtype(0, 0);
  for (int m = 0; m < 3; ++m) {
    codelet.model = &models[m];
    // Every second size is measured: of the others, only regressions know something, and nothing
    // of the last.
    for (unsigned step = 0; step < (measures ? 7 : 8); step += measures ? 2 : 1) {
      // Of a measured size we say what was measured, and StarPU what its curve says.
      if (!measures && models[m].type == STARPU_NL_REGRESSION_BASED && step % 2 == 0) continue;
      const unsigned elements = 1000u << step;
      starpu_data_handle_t handles[2];
      starpu_vector_data_register(&handles[0], -1, 0, elements, sizeof(float));
      starpu_matrix_data_register(&handles[1], -1, 0, 32, 32, elements / 40, sizeof(float));
      struct starpu_task* const task = starpu_task_create();
      task->cl = &codelet;
      task->destroy = 0;  // StarPU destroys no other one
      task->handles[0] = handles[0];
      task->handles[1] = handles[1];
      for (int i = 0; measures && i < 20; ++i)
        starpu_perfmodel_update_history(&models[m], task, cpu, 0, 0,
                                        10 + 0.02 * elements + 0.1 * (i % 5));
      if (!measures)
        printf("%s %u: footprint %08x, %.4e us\n", models[m].symbol, elements,
               starpu_task_footprint(&models[m], task, cpu, 0),
               starpu_task_expected_length(task, cpu, 0));
      starpu_task_destroy(task);
      for (int i = 0; i < 2; ++i) starpu_data_unregister(handles[i]);
    }
  }
  starpu_shutdown();
  return 0;
}
