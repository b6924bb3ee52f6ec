/* SPDX-License-Identifier: Apache-2.0 */
/* Blocked matrix multiplication, for sgemm.c and dgemm.c, which say of what numbers:
 * sgemm [-bound] [blocks [order]] makes a square of blocks x blocks blocks, each of order x order
 * and the sum of 4 order products, ten times, and checks the result; with -bound it says, too, how
 * fast it could have been at best: with shared tasks, and with whole ones. On a simulated machine
 * (STARPU_NSIM_CUDA, see planning.c) nothing is computed, the order is 960 where none is given, and
 * the time is that of StarPU's published models. */
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void multiply(void* b[], void* arg) {
  const REAL *x = (REAL*)STARPU_MATRIX_GET_PTR(b[0]), *y = (REAL*)STARPU_MATRIX_GET_PTR(b[1]);
  REAL* c = (REAL*)STARPU_MATRIX_GET_PTR(b[2]);
  const int n = STARPU_MATRIX_GET_NX(b[2]), m = STARPU_MATRIX_GET_NY(b[2]),
            depth = STARPU_MATRIX_GET_NY(b[0]), lx = STARPU_MATRIX_GET_LD(b[0]),
            ly = STARPU_MATRIX_GET_LD(b[1]), lc = STARPU_MATRIX_GET_LD(b[2]);
  (void)arg;
  for (int j = 0; j < m; j++) {
    memset(&c[(size_t)j * lc], 0, n * sizeof(*c));
    for (int k = 0; k < depth; k++)
      for (int i = 0; i < n; i++)
        c[i + (size_t)j * lc] += x[i + (size_t)k * lx] * y[k + (size_t)j * ly];
  }
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = MODEL};
static struct starpu_codelet gemm = {.cpu_funcs = {multiply},
                                     .nbuffers = 3,
                                     .modes = {STARPU_R, STARPU_R, STARPU_RW},
                                     .model = &model,
                                     .name = "gemm"};

/* Whether row `row` of the product is that of x and y. */
static int is_right(const REAL* x, const REAL* y, const REAL* c, int n, int depth, int row) {
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int k = 0; k < depth; k++)
      sum += (double)x[row + (size_t)k * n] * (double)y[k + (size_t)j * depth];
    if (fabs(sum - (double)c[row + (size_t)j * n]) > 1e-4 * (fabs(sum) + depth)) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  const int bound = argc > 1 && strcmp(argv[1], "-bound") == 0, first = 1 + bound, times = 10;
  const int simulated = getenv("STARPU_NSIM_CUDA") != NULL, usual_order = simulated ? 960 : 64;
  const int blocks = argc > first ? atoi(argv[first]) : 4,
            order = argc > first + 1 ? atoi(argv[first + 1]) : usual_order, n = blocks * order,
            depth = 4 * order;
  if (starpu_init(NULL) != 0) return 77;
  REAL *x = malloc((size_t)n * depth * sizeof(*x)), *y = malloc((size_t)n * depth * sizeof(*y)),
       *c = malloc((size_t)n * n * sizeof(*c)); /* nobody writes them in a simulation */
  for (size_t i = 0; !simulated && i < (size_t)n * depth; i++) {
    x[i] = (REAL)(i % 7) / 7;
    y[i] = (REAL)(i % 11) / 11;
  }
  starpu_data_handle_t hx, hy, hc;
  starpu_matrix_data_register(&hx, STARPU_MAIN_RAM, (uintptr_t)x, n, n, depth, sizeof(*x));
  starpu_matrix_data_register(&hy, STARPU_MAIN_RAM, (uintptr_t)y, depth, depth, n, sizeof(*y));
  starpu_matrix_data_register(&hc, STARPU_MAIN_RAM, (uintptr_t)c, n, n, n, sizeof(*c));
  struct starpu_data_filter rows = {.filter_func = starpu_matrix_filter_block, .nchildren = blocks},
                            cols = {.filter_func = starpu_matrix_filter_vertical_block,
                                    .nchildren = blocks};
  starpu_data_partition(hx, &rows);
  starpu_data_partition(hy, &cols);
  starpu_data_map_filters(hc, 2, &cols, &rows);

  int refused = 0; /* of tasks: no model knows what they take */
  if (bound) starpu_bound_start(0, 0);
  const double start_us = starpu_timing_now();
  for (int t = 0; t < times; t++)
    for (int j = 0; j < blocks; j++)
      for (int i = 0; i < blocks; i++)
        refused += starpu_task_insert(&gemm, STARPU_R, starpu_data_get_sub_data(hx, 1, i), STARPU_R,
                                      starpu_data_get_sub_data(hy, 1, j), STARPU_RW,
                                      starpu_data_get_sub_data(hc, 2, j, i), STARPU_FLOPS,
                                      2.0 * order * order * depth, 0) != 0;
  starpu_task_wait_for_all();
  const double ms = (starpu_timing_now() - start_us) / 1000,
               megaflops = 2e-6 * times * n * n * depth;
  double shared_ms = 0, whole_ms = 0;
  if (bound) starpu_bound_stop();
  if (bound) starpu_bound_compute(&shared_ms, &whole_ms, 1);
  if (refused == 0) {
    printf("# x\ty\tz\tms\tGFlops%s\n", bound ? "\tTms\tTGFlops\tTims\tTiGFlops" : "");
    printf("%d\t%d\t%d\t%.0f\t%.1f", n, n, depth, ms / times, megaflops / ms);
    if (bound)
      printf("\t%.0f\t%.1f\t%.0f\t%.1f", shared_ms / times, megaflops / shared_ms, whole_ms / times,
             megaflops / whole_ms);
    printf("\n");
  }

  starpu_data_unpartition(hx, STARPU_MAIN_RAM);
  starpu_data_unpartition(hy, STARPU_MAIN_RAM);
  starpu_data_unpartition(hc, STARPU_MAIN_RAM);
  starpu_data_unregister(hx);
  starpu_data_unregister(hy);
  starpu_data_unregister(hc);
  starpu_shutdown();
  const int right =
      simulated || (is_right(x, y, c, n, depth, 0) && is_right(x, y, c, n, depth, n - 1));
  if (!simulated) printf("Results are %s\n", right ? "OK" : "wrong");
  free(x);
  free(y);
  free(c);
  return refused == 0 && right ? 0 : 1;
}
