/* SPDX-License-Identifier: Apache-2.0
 * A matrix is cut into tiles by two filters; tasks work on tiles, then one on the whole. */
#include <starpu.h>
#include <stdio.h>

#define N 12

static void fill_cpu(void* buffers[], void* arg) {
  int *tile = (int*)STARPU_MATRIX_GET_PTR(buffers[0]), value;
  unsigned nx = STARPU_MATRIX_GET_NX(buffers[0]), ny = STARPU_MATRIX_GET_NY(buffers[0]);
  unsigned ld = STARPU_MATRIX_GET_LD(buffers[0]);
  starpu_codelet_unpack_args(arg, &value);
  for (unsigned y = 0; y < ny; y++)
    for (unsigned x = 0; x < nx; x++) tile[x + y * ld] = value;
}

static void print_cpu(void* buffers[], void* arg) {
  const int* m = (const int*)STARPU_MATRIX_GET_PTR(buffers[0]);
  long sum = 0;
  (void)arg;
  for (int i = 0; i < N * N; i++) sum += m[i];
  printf("corners %d %d %d %d, sum %ld\n", m[0], m[N - 1], m[N * (N - 1)], m[N * N - 1], sum);
}

static struct starpu_codelet fill = {
    .cpu_funcs = {fill_cpu}, .nbuffers = 1, .modes = {STARPU_W}, .name = "fill"};
static struct starpu_codelet print = {
    .cpu_funcs = {print_cpu}, .nbuffers = 1, .modes = {STARPU_R}, .name = "print"};

int main(void) {
  static int matrix[N * N];
  starpu_data_handle_t handle;
  struct starpu_data_filter columns = {.filter_func = starpu_matrix_filter_block, .nchildren = 3};
  struct starpu_data_filter rows = {.filter_func = starpu_matrix_filter_vertical_block,
                                    .nchildren = 2};
  if (starpu_init(NULL) != 0) return 77;
  starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)matrix, N, N, N, sizeof(int));
  starpu_data_map_filters(handle, 2, &columns, &rows);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) {
      int value = 10 * i + j;
      starpu_task_insert(&fill, STARPU_W, starpu_data_get_sub_data(handle, 2, i, j), STARPU_VALUE,
                         &value, sizeof(value), 0);
    }
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_task_insert(&print, STARPU_R, handle, 0);
  starpu_data_unregister(handle);
  starpu_shutdown();
  return 0;
}
