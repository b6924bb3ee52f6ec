/* SPDX-License-Identifier: Apache-2.0 */
/* Tiled LU factorisation without pivoting, single precision: lu [-bound] [tiles [tile_order]], and
 * its residual. With -bound it says, too, how fast it could have been at best. On a simulated
 * machine (STARPU_NSIM_CUDA, see planning.c) nothing is computed, tiles are of order 960 where
 * nothing is said, and the time is that of StarPU's published models. */
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX(b, i, a, ld)                       \
  float* a = (float*)STARPU_MATRIX_GET_PTR(b[i]); \
  const int ld = STARPU_MATRIX_GET_LD(b[i])

static void factorise(void* b[], void* arg) {
  MATRIX(b, 0, a, ld);
  const int n = STARPU_MATRIX_GET_NX(b[0]);
  (void)arg;
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) a[i + k * ld] /= a[k + k * ld];
    for (int j = k + 1; j < n; j++)
      for (int i = k + 1; i < n; i++) a[i + j * ld] -= a[i + k * ld] * a[k + j * ld];
  }
}
/* The tile becomes L^-1 of it: of a row of U. */
static void solve_row(void* b[], void* arg) {
  MATRIX(b, 0, l, ll);
  MATRIX(b, 1, x, lx);
  const int n = STARPU_MATRIX_GET_NX(b[0]);
  (void)arg;
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      for (int i = k + 1; i < n; i++) x[i + j * lx] -= l[i + k * ll] * x[k + j * lx];
}
/* It times U^-1: of a column of L. */
static void solve_column(void* b[], void* arg) {
  MATRIX(b, 0, u, lu);
  MATRIX(b, 1, x, lx);
  const int n = STARPU_MATRIX_GET_NX(b[0]);
  (void)arg;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = 0; i < n; i++) x[i + j * lx] -= x[i + k * lx] * u[k + j * lu];
    for (int i = 0; i < n; i++) x[i + j * lx] /= u[j + j * lu];
  }
}
static void update(void* b[], void* arg) {
  MATRIX(b, 0, x, lx);
  MATRIX(b, 1, y, ly);
  MATRIX(b, 2, c, lc);
  const int n = STARPU_MATRIX_GET_NX(b[2]);
  (void)arg;
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++) c[i + j * lc] -= x[i + k * lx] * y[k + j * ly];
}

#define CODELET(label, function, count, ...)                                                \
  static struct starpu_perfmodel model_##label = {.type = STARPU_HISTORY_BASED,             \
                                                  .symbol = "starpu_slu_lu_model_" #label}; \
  static struct starpu_codelet cl##label = {.cpu_funcs = {function},                        \
                                            .nbuffers = count,                              \
                                            .modes = {__VA_ARGS__},                         \
                                            .model = &model_##label,                        \
                                            .name = #function}
CODELET(11, factorise, 1, STARPU_RW);
CODELET(12, solve_row, 2, STARPU_R, STARPU_RW);
CODELET(21, solve_column, 2, STARPU_R, STARPU_RW);
CODELET(22, update, 3, STARPU_R, STARPU_R, STARPU_RW);

/* ||A - LU|| / (||A|| n) of the matrix whose entries value() tells. */
static float value(int i, int j, int n) { return 1.0f / (1.0f + i + j) + (i == j ? n : 0); }
static double residual(const float* lu, int n) {
  double error = 0, norm = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k <= (i < j ? i : j); k++)
        sum += (k == i ? 1 : (double)lu[i + (size_t)k * n]) * (double)lu[k + (size_t)j * n];
      const double expected = (double)value(i, j, n);
      error += (sum - expected) * (sum - expected);
      norm += expected * expected;
    }
  return sqrt(error / norm) / n;
}

int main(int argc, char** argv) {
  const int bound = argc > 1 && strcmp(argv[1], "-bound") == 0, first = 1 + bound;
  const int simulated = getenv("STARPU_NSIM_CUDA") != NULL, usual_nb = simulated ? 960 : 32;
  const int nt = argc > first ? atoi(argv[first]) : 5,
            nb = argc > first + 1 ? atoi(argv[first + 1]) : usual_nb, n = nt * nb;
  if (starpu_init(NULL) != 0) return 77;
  float* a = malloc((size_t)n * n * sizeof(*a)); /* nobody writes it in a simulation */
  for (int j = 0; !simulated && j < n; j++)
    for (int i = 0; i < n; i++) a[i + (size_t)j * n] = value(i, j, n);
  starpu_data_handle_t matrix;
  starpu_matrix_data_register(&matrix, STARPU_MAIN_RAM, (uintptr_t)a, n, n, n, sizeof(*a));
  struct starpu_data_filter rows = {.filter_func = starpu_matrix_filter_block, .nchildren = nt};
  struct starpu_data_filter cols = {.filter_func = starpu_matrix_filter_vertical_block,
                                    .nchildren = nt};
  starpu_data_map_filters(matrix, 2, &cols, &rows);
#define TILE(i, j) starpu_data_get_sub_data(matrix, 2, j, i)

  int refused = 0; /* of tasks: no model knows what they take */
  if (bound) starpu_bound_start(0, 0);
  const double start_us = starpu_timing_now(), cube = (double)nb * nb * nb;
  for (int k = 0; k < nt; k++) {
    starpu_iteration_push(k);
    refused += starpu_task_insert(&cl11, STARPU_PRIORITY, 2 * (nt - k), STARPU_RW, TILE(k, k),
                                  STARPU_FLOPS, 2 * cube / 3, 0) != 0;
    for (int m = k + 1; m < nt; m++) {
      const int priority = 2 * (nt - k) - (m - k);
      refused += starpu_task_insert(&cl12, STARPU_PRIORITY, priority, STARPU_R, TILE(k, k),
                                    STARPU_RW, TILE(k, m), STARPU_FLOPS, cube, 0) != 0;
      refused += starpu_task_insert(&cl21, STARPU_PRIORITY, priority, STARPU_R, TILE(k, k),
                                    STARPU_RW, TILE(m, k), STARPU_FLOPS, cube, 0) != 0;
    }
    for (int i = k + 1; i < nt; i++)
      for (int j = k + 1; j < nt; j++)
        refused += starpu_task_insert(&cl22, STARPU_PRIORITY, 2 * (nt - k) - (i - k) - (j - k),
                                      STARPU_R, TILE(i, k), STARPU_R, TILE(k, j), STARPU_RW,
                                      TILE(i, j), STARPU_FLOPS, 2 * cube, 0) != 0;
    starpu_iteration_pop();
  }
  starpu_task_wait_for_all();
  const double ms = (starpu_timing_now() - start_us) / 1000, megaflops = 2e-6 / 3 * n * n * n;
  double shared_ms = 0;
  if (bound) starpu_bound_stop();
  if (bound) starpu_bound_compute(&shared_ms, NULL, 0);
  if (refused == 0) {
    printf("# size\tms\tGFlop/s%s\n%d\t%.0f\t%.1f", bound ? "\tTms\tTGFlop/s" : "", n, ms,
           megaflops / ms);
    if (bound) printf("\t%.0f\t%.1f", shared_ms, megaflops / shared_ms);
    printf("\n");
  }
  starpu_data_unpartition(matrix, STARPU_MAIN_RAM);
  starpu_data_unregister(matrix);
  starpu_shutdown();
  const double error = simulated ? 0 : residual(a, n);
  if (!simulated) printf("||A-LU|| / (||A||*N) : %e\n", error);
  free(a);
  return refused == 0 && error < 1e-6 ? 0 : 1;
}
