/* SPDX-License-Identifier: Apache-2.0 */
/* Tiled right-looking Cholesky factorisation, single precision: cholesky [tiles [tile_order]].
 * Priorities, iterations, coordinates, flops, colours and history-based performance models are all
 * set. */
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static void potrf_cpu(void* b[], void* arg) {
  float* a = (float*)STARPU_MATRIX_GET_PTR(b[0]);
  int n = STARPU_MATRIX_GET_NX(b[0]), ld = STARPU_MATRIX_GET_LD(b[0]);
  (void)arg;
  for (int k = 0; k < n; k++) {
    a[k + k * ld] = sqrtf(a[k + k * ld]);
    for (int i = k + 1; i < n; i++) a[i + k * ld] /= a[k + k * ld];
    for (int j = k + 1; j < n; j++)
      for (int i = j; i < n; i++) a[i + j * ld] -= a[i + k * ld] * a[j + k * ld];
  }
}

static void trsm_cpu(void* b[], void* arg) {
  float *l = (float*)STARPU_MATRIX_GET_PTR(b[0]), *x = (float*)STARPU_MATRIX_GET_PTR(b[1]);
  int n = STARPU_MATRIX_GET_NX(b[0]), ld = STARPU_MATRIX_GET_LD(b[0]),
      lx = STARPU_MATRIX_GET_LD(b[1]);
  (void)arg;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = 0; i < n; i++) x[i + j * lx] -= x[i + k * lx] * l[j + k * ld];
    for (int i = 0; i < n; i++) x[i + j * lx] /= l[j + j * ld];
  }
}

static void syrk_cpu(void* b[], void* arg) {
  float *a = (float*)STARPU_MATRIX_GET_PTR(b[0]), *c = (float*)STARPU_MATRIX_GET_PTR(b[1]);
  int n = STARPU_MATRIX_GET_NX(b[0]), la = STARPU_MATRIX_GET_LD(b[0]),
      lc = STARPU_MATRIX_GET_LD(b[1]);
  (void)arg;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) c[i + j * lc] -= a[i + k * la] * a[j + k * la];
}

static void gemm_cpu(void* b[], void* arg) {
  float *x = (float*)STARPU_MATRIX_GET_PTR(b[0]), *y = (float*)STARPU_MATRIX_GET_PTR(b[1]),
        *c = (float*)STARPU_MATRIX_GET_PTR(b[2]);
  int n = STARPU_MATRIX_GET_NX(b[0]), lx = STARPU_MATRIX_GET_LD(b[0]),
      ly = STARPU_MATRIX_GET_LD(b[1]), lc = STARPU_MATRIX_GET_LD(b[2]);
  (void)arg;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) c[i + j * lc] -= x[i + k * lx] * y[j + k * ly];
}

#define MODEL(sym)                                                            \
  static struct starpu_perfmodel sym##_model = {.type = STARPU_HISTORY_BASED, \
                                                .symbol = "demo_cholesky_" #sym}
MODEL(potrf);
MODEL(trsm);
MODEL(syrk);
MODEL(gemm);

static struct starpu_codelet potrf = {.cpu_funcs = {potrf_cpu},
                                      .nbuffers = 1,
                                      .modes = {STARPU_RW},
                                      .model = &potrf_model,
                                      .name = "potrf",
                                      .color = 0xe41a1c};
static struct starpu_codelet trsm = {.cpu_funcs = {trsm_cpu},
                                     .nbuffers = 2,
                                     .modes = {STARPU_R, STARPU_RW},
                                     .model = &trsm_model,
                                     .name = "trsm",
                                     .color = 0x377eb8};
static struct starpu_codelet syrk = {.cpu_funcs = {syrk_cpu},
                                     .nbuffers = 2,
                                     .modes = {STARPU_R, STARPU_RW},
                                     .model = &syrk_model,
                                     .name = "syrk",
                                     .color = 0x4daf4a};
static struct starpu_codelet gemm = {.cpu_funcs = {gemm_cpu},
                                     .nbuffers = 3,
                                     .modes = {STARPU_R, STARPU_R, STARPU_RW},
                                     .model = &gemm_model,
                                     .name = "gemm",
                                     .color = 0x984ea3};

int main(int argc, char** argv) {
  int nt = argc > 1 ? atoi(argv[1]) : 6, nb = argc > 2 ? atoi(argv[2]) : 32, n = nt * nb;
  float* a = malloc((size_t)n * n * sizeof(*a));
  starpu_data_handle_t mat;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) a[i + (size_t)j * n] = 1.0f / (1.0f + i + j) + (i == j ? n : 0);

  if (starpu_init(NULL) != 0) return 77;
  starpu_matrix_data_register(&mat, STARPU_MAIN_RAM, (uintptr_t)a, n, n, n, sizeof(*a));
  struct starpu_data_filter rows = {.filter_func = starpu_matrix_filter_block, .nchildren = nt};
  struct starpu_data_filter cols = {.filter_func = starpu_matrix_filter_vertical_block,
                                    .nchildren = nt};
  starpu_data_map_filters(mat, 2, &cols, &rows);
  for (int j = 0; j < nt; j++)
    for (int i = 0; i < nt; i++)
      starpu_data_set_coordinates(starpu_data_get_sub_data(mat, 2, j, i), 2, j, i);
#define TILE(i, j) starpu_data_get_sub_data(mat, 2, j, i)
  double f = (double)nb * nb * nb;
  for (int k = 0; k < nt; k++) {
    starpu_iteration_push(k);
    starpu_task_insert(&potrf, STARPU_PRIORITY, 2 * nt - 2 * k, STARPU_RW, TILE(k, k), STARPU_FLOPS,
                       f / 3, 0);
    for (int m = k + 1; m < nt; m++)
      starpu_task_insert(&trsm, STARPU_PRIORITY, 2 * nt - 2 * k - m, STARPU_R, TILE(k, k),
                         STARPU_RW, TILE(m, k), STARPU_FLOPS, f, 0);
    for (int m = k + 1; m < nt; m++) {
      starpu_task_insert(&syrk, STARPU_PRIORITY, 2 * nt - 2 * k - m, STARPU_R, TILE(m, k),
                         STARPU_RW, TILE(m, m), STARPU_FLOPS, f, 0);
      for (int p = k + 1; p < m; p++)
        starpu_task_insert(&gemm, STARPU_PRIORITY, 2 * nt - 2 * k - p - m, STARPU_R, TILE(m, k),
                           STARPU_R, TILE(p, k), STARPU_RW, TILE(m, p), STARPU_FLOPS, 2 * f, 0);
    }
    starpu_iteration_pop();
  }
  starpu_task_wait_for_all();
  starpu_data_unpartition(mat, STARPU_MAIN_RAM);
  starpu_data_unregister(mat);
  starpu_shutdown();
  printf("L(0,0) = %g\n", a[0]);
  free(a);
  return 0;
}
