/* SPDX-License-Identifier: Apache-2.0 */
/* How fast would a tiled Cholesky factorisation be on a machine that is not here? planning [tiles
 * [tile_order]] runs it on the simulated machine that the environment describes:
 *
 *   export STARPU_PERF_MODEL_DIR=/usr/share/starpu/perfmodels/sampling STARPU_HOSTNAME=attila
 *   STARPU_NSIM_CUDA=3 STARPU_NCPU=8 STARPU_SCHED=dmdas ./planning 20 960
 *
 * The performance models are those that StarPU publishes, for tiles of 320, 640 and 960. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

/* Functions of libraries would be here, for CPUs and for CUDA. A simulation calls none. */
static void kernel(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}

#define CODELET(label, published, count, ...)                                   \
  static struct starpu_perfmodel label##_model = {.type = STARPU_HISTORY_BASED, \
                                                  .symbol = published};         \
  static struct starpu_codelet label = {.cpu_funcs = {kernel},                  \
                                        .cuda_funcs = {kernel},                 \
                                        .nbuffers = count,                      \
                                        .modes = {__VA_ARGS__},                 \
                                        .model = &label##_model,                \
                                        .name = #label}
CODELET(potrf, "chol_model_11", 1, STARPU_RW);
CODELET(trsm, "chol_model_21", 2, STARPU_R, STARPU_RW);
CODELET(gemm, "chol_model_22", 3, STARPU_R, STARPU_R, STARPU_RW);

int main(int argc, char** argv) {
  const int tiles = argc > 1 ? atoi(argv[1]) : 10, order = argc > 2 ? atoi(argv[2]) : 960;
  const int n = tiles * order;
  if (starpu_init(NULL) != 0) return 77;
  if (starpu_cuda_worker_get_count() == 0) {
    printf("no CUDA workers: STARPU_NSIM_CUDA=3 would simulate some\n");
    starpu_shutdown();
    return 0;
  }
  float* a = malloc((size_t)n * n * sizeof(*a)); /* nobody writes it: no page is taken */
  starpu_data_handle_t matrix;
  starpu_matrix_data_register(&matrix, STARPU_MAIN_RAM, (uintptr_t)a, n, n, n, sizeof(*a));
  struct starpu_data_filter rows = {.filter_func = starpu_matrix_filter_block, .nchildren = tiles};
  struct starpu_data_filter cols = {.filter_func = starpu_matrix_filter_vertical_block,
                                    .nchildren = tiles};
  starpu_data_map_filters(matrix, 2, &cols, &rows);
#define TILE(i, j) starpu_data_get_sub_data(matrix, 2, j, i)

  int refused = 0; /* of tasks: no model knows what they take */
  const double start_us = starpu_timing_now(), cube = (double)order * order * order;
  for (int k = 0; k < tiles; k++) {
    starpu_iteration_push(k);
    refused += starpu_task_insert(&potrf, STARPU_PRIORITY, 2 * tiles - 2 * k, STARPU_RW, TILE(k, k),
                                  STARPU_FLOPS, cube / 3, 0) != 0;
    for (int m = k + 1; m < tiles; m++)
      refused += starpu_task_insert(&trsm, STARPU_PRIORITY, 2 * tiles - 2 * k - m, STARPU_R,
                                    TILE(k, k), STARPU_RW, TILE(m, k), STARPU_FLOPS, cube, 0) != 0;
    for (int p = k + 1; p < tiles; p++)
      for (int m = p; m < tiles; m++)
        refused += starpu_task_insert(&gemm, STARPU_PRIORITY, 2 * tiles - 2 * k - p - m, STARPU_R,
                                      TILE(m, k), STARPU_R, TILE(p, k), STARPU_RW, TILE(m, p),
                                      STARPU_FLOPS, 2 * cube, 0) != 0;
    starpu_iteration_pop();
  }
  starpu_task_wait_for_all();
  const double us = starpu_timing_now() - start_us;
  if (refused == 0)
    printf("# size\tms\tGFlop/s\n%d\t%.0f\t%.1f\n", n, us / 1000,
           (double)n * n * n / 3 / us / 1000);

  starpu_data_unpartition(matrix, STARPU_MAIN_RAM);
  starpu_data_unregister(matrix);
  starpu_shutdown();
  free(a);
  return refused == 0 ? 0 : 1;
}
