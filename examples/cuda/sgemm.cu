/* SPDX-License-Identifier: Apache-2.0
 * C = A B, a task a tile of C: cuBLAS on devices, loops on CPUs, where it is done soonest
 * (STARPU_SCHED=dmdas, once its model is measured). Prints what was reached. */
#include <math.h>
#include <starpu.h>
#include <starpu_cublas_v2.h>
#include <starpu_cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define MATRIX(i) ((float*)STARPU_MATRIX_GET_PTR(buffers[i]))
#define LD(i) ((int)STARPU_MATRIX_GET_LD(buffers[i]))
#define NX(i) ((int)STARPU_MATRIX_GET_NX(buffers[i]))
#define NY(i) ((int)STARPU_MATRIX_GET_NY(buffers[i]))

/* Tiles are columns of LD elements: C is NX(2) by NY(2), A NX(0) by NY(0). */
static void multiply_cpu(void* buffers[], void*) {
  for (int j = 0; j < NY(2); j++)
    for (int i = 0; i < NX(2); i++) {
      float sum = 0;
      for (int k = 0; k < NY(0); k++) sum += MATRIX(0)[i + k * LD(0)] * MATRIX(1)[k + j * LD(1)];
      MATRIX(2)[i + j * LD(2)] = sum;
    }
}
static void multiply_cuda(void* buffers[], void*) {
  const float one = 1, zero = 0;
  cublasStatus_t status =
      cublasSgemm(starpu_cublas_get_local_handle(), CUBLAS_OP_N, CUBLAS_OP_N, NX(2), NY(2), NY(0),
                  &one, MATRIX(0), LD(0), MATRIX(1), LD(1), &zero, MATRIX(2), LD(2));
  if (status != CUBLAS_STATUS_SUCCESS) STARPU_CUBLAS_REPORT_ERROR(status);
}

int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 256,
                 tiles = argc > 2 ? (unsigned)atoi(argv[2]) : 4;
  struct starpu_codelet multiply;
  starpu_codelet_init(&multiply);
  multiply.cpu_funcs[0] = multiply_cpu;
  multiply.cuda_funcs[0] = multiply_cuda;
  multiply.cuda_flags[0] = STARPU_CUDA_ASYNC;
  multiply.nbuffers = 3;
  multiply.modes[0] = multiply.modes[1] = STARPU_R;
  multiply.modes[2] = STARPU_W;
  multiply.name = "sgemm";
  static struct starpu_perfmodel model;
  model.type = STARPU_HISTORY_BASED;
  model.symbol = "sgemm_cuda_example";
  multiply.model = &model;
  if (starpu_init(NULL) != 0) return 77;
  starpu_cublas_init();
  float* m[3];
  starpu_data_handle_t handle[3];
  for (int i = 0; i < 3; i++) {
    if (starpu_malloc((void**)&m[i], n * n * sizeof(float)) != 0) return 1;
    for (unsigned j = 0; j < n * n; j++) m[i][j] = (float)(j % 7) - 3;
    starpu_matrix_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)m[i], n, n, n,
                                sizeof(float));
  }
  struct starpu_data_filter rows = {}, columns = {};
  rows.filter_func = starpu_matrix_filter_block;
  columns.filter_func = starpu_matrix_filter_vertical_block;
  rows.nchildren = columns.nchildren = tiles;
  starpu_data_partition(handle[0], &rows);
  starpu_data_partition(handle[1], &columns);
  starpu_data_map_filters(handle[2], 2, &columns, &rows);
  double start = starpu_timing_now();
  for (unsigned j = 0; j < tiles; j++)
    for (unsigned i = 0; i < tiles; i++)
      starpu_task_insert(&multiply, STARPU_R, starpu_data_get_sub_data(handle[0], 1, i), STARPU_R,
                         starpu_data_get_sub_data(handle[1], 1, j), STARPU_W,
                         starpu_data_get_sub_data(handle[2], 2, j, i), 0);
  starpu_task_wait_for_all();
  double us = starpu_timing_now() - start;
  for (int i = 0; i < 3; i++) starpu_data_unpartition(handle[i], STARPU_MAIN_RAM);
  for (int i = 0; i < 3; i++) starpu_data_unregister(handle[i]);
  double worst = 0;
  for (unsigned i = 0; i < n; i += 37) { /* a diagonal of C, anew */
    double sum = 0;
    for (unsigned k = 0; k < n; k++) sum += (double)m[0][i + k * n] * m[1][k + i * n];
    worst = fmax(worst, fabs(sum - m[2][i + i * n]));
  }
  printf("%u x %u in %.1f ms, %.1f GFlop/s, error %g\n", n, n, us / 1000,
         2.0 * n * n * n / us / 1000, worst);
  for (int i = 0; i < 3; i++) starpu_free_noflag(m[i], n * n * sizeof(float));
  starpu_cublas_shutdown();
  starpu_shutdown();
  return worst > 1e-2;
}
