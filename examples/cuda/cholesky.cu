/* SPDX-License-Identifier: Apache-2.0
 * Cholesky factorisation by tiles: corners on CPUs, the rest where it is done soonest
 * (STARPU_SCHED= dmdas, once models are measured), by cuBLAS on devices. Lower triangle, columns of
 * kTile. */
#include <math.h>
#include <starpu.h>
#include <starpu_cublas_v2.h>
#include <starpu_cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE(i) ((float*)STARPU_MATRIX_GET_PTR(buffers[i]))
#define B ((int)STARPU_MATRIX_GET_NX(buffers[0]))
#define FOR(i, from, to) for (int i = (from); i < (to); i++)
#define CHECK(call)                                                            \
  do {                                                                         \
    cublasStatus_t status_ = (call);                                           \
    if (status_ != CUBLAS_STATUS_SUCCESS) STARPU_CUBLAS_REPORT_ERROR(status_); \
  } while (0)
static const float kOne = 1, kMinusOne = -1;

static void potrf_cpu(void* buffers[], void*) {
  float* a = TILE(0);
  FOR(j, 0, B) {
    FOR(k, 0, j) FOR(i, j, B) a[i + j * B] -= a[i + k * B] * a[j + k * B];
    float root = sqrtf(a[j + j * B]);
    FOR(i, j, B) a[i + j * B] /= root;
  }
}
static void trsm_cpu(void* buffers[], void*) { /* a := a l^-T */
  const float* l = TILE(0);
  float* a = TILE(1);
  FOR(j, 0, B) {
    FOR(k, 0, j) FOR(i, 0, B) a[i + j * B] -= a[i + k * B] * l[j + k * B];
    FOR(i, 0, B) a[i + j * B] /= l[j + j * B];
  }
}
static void trsm_cuda(void* buffers[], void*) {
  CHECK(cublasStrsm(starpu_cublas_get_local_handle(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER,
                    CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, B, B, &kOne, TILE(0), B, TILE(1), B));
}
static void gemm_cpu(void* buffers[], void*) { /* c -= a b^T */
  FOR(j, 0, B)
  FOR(k, 0, B) FOR(i, 0, B) TILE(2)[i + j * B] -= TILE(0)[i + k * B] * TILE(1)[j + k * B];
}
static void gemm_cuda(void* buffers[], void*) {
  CHECK(cublasSgemm(starpu_cublas_get_local_handle(), CUBLAS_OP_N, CUBLAS_OP_T, B, B, B, &kMinusOne,
                    TILE(0), B, TILE(1), B, &kOne, TILE(2), B));
}

static struct starpu_perfmodel models[3];
static struct starpu_codelet kernel(int i, const char* name, starpu_cpu_func_t cpu,
                                    starpu_cuda_func_t cuda, int buffers) {
  struct starpu_codelet c;
  starpu_codelet_init(&c);
  c.cpu_funcs[0] = cpu;
  c.cuda_funcs[0] = cuda;
  c.cuda_flags[0] = STARPU_CUDA_ASYNC;
  c.nbuffers = buffers;
  FOR(b, 0, buffers) c.modes[b] = b == buffers - 1 ? STARPU_RW : STARPU_R;
  models[i].type = STARPU_HISTORY_BASED;
  models[i].symbol = c.name = name;
  c.model = &models[i];
  return c;
}

int main(int argc, char** argv) {
  const int tiles = argc > 1 ? atoi(argv[1]) : 6, b = argc > 2 ? atoi(argv[2]) : 64, n = tiles * b;
  struct starpu_codelet potrf = kernel(0, "potrf_cuda_example", potrf_cpu, NULL, 1);
  struct starpu_codelet trsm = kernel(1, "trsm_cuda_example", trsm_cpu, trsm_cuda, 2);
  struct starpu_codelet gemm = kernel(2, "gemm_cuda_example", gemm_cpu, gemm_cuda, 3);
  if (starpu_init(NULL) != 0) return 77;
  starpu_cublas_init();
  float* memory;
  /* A tile after the other. */
  if (starpu_malloc((void**)&memory, (size_t)n * n * sizeof(float)) != 0) return 1;
  starpu_data_handle_t* a = (starpu_data_handle_t*)malloc(sizeof(*a) * tiles * tiles);
#define A(i, j) a[(i) + (j)*tiles]
#define AT(i, j) memory[(size_t)((i) / b + (j) / b * tiles) * b * b + (i) % b + (j) % b * b]
  FOR(j, 0, n) FOR(i, 0, n) AT(i, j) = 1.0f / (1 + abs(i - j)) + (i == j ? n : 0);
  FOR(j, 0, tiles)
  FOR(i, 0, tiles)
  starpu_matrix_data_register(&A(i, j), STARPU_MAIN_RAM, (uintptr_t)&AT(i * b, j * b), b, b, b,
                              sizeof(float));
  double start = starpu_timing_now();
  FOR(k, 0, tiles) {
    starpu_task_insert(&potrf, STARPU_PRIORITY, 2 * (tiles - k), STARPU_RW, A(k, k), 0);
    FOR(i, k + 1, tiles)
    starpu_task_insert(&trsm, STARPU_PRIORITY, 2 * (tiles - i), STARPU_R, A(k, k), STARPU_RW,
                       A(i, k), 0);
    FOR(j, k + 1, tiles)
    FOR(i, j, tiles)
    starpu_task_insert(&gemm, STARPU_PRIORITY, tiles - i, STARPU_R, A(i, k), STARPU_R, A(j, k),
                       STARPU_RW, A(i, j), 0);
  }
  starpu_task_wait_for_all();
  double us = starpu_timing_now() - start;
  FOR(i, 0, tiles * tiles) starpu_data_unregister(a[i]);
  double worst = 0; /* of L L^T, some places of it */
  FOR(i, 0, n) for (int j = 0; j <= i; j += 53) {
    double sum = 0;
    FOR(k, 0, j + 1) sum += (double)AT(i, k) * AT(j, k);
    worst = fmax(worst, fabs(sum - (1.0 / (1 + i - j) + (i == j ? n : 0))));
  }
  printf("%d x %d in %.1f ms, %.1f GFlop/s, error %g\n", n, n, us / 1000,
         (double)n * n * n / 3 / us / 1000, worst);
  starpu_free_noflag(memory, (size_t)n * n * sizeof(float));
  free(a);
  starpu_cublas_shutdown();
  starpu_shutdown();
  return worst > 1e-3 * n;
}
