/* SPDX-License-Identifier: Apache-2.0
 * A dot product: every task adds to its worker's own sum, and the sums are added at the end. */
#include <starpu.h>
#include <stdio.h>

#define BLOCKS 64
#define LENGTH 1000

static void dot_cpu(void* buffers[], void* arg) {
  const long* x = (const long*)STARPU_VECTOR_GET_PTR(buffers[0]);
  long* sum = (long*)STARPU_VARIABLE_GET_PTR(buffers[1]);
  (void)arg;
  for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++) *sum += x[i] * x[i];
}

static void zero_cpu(void* buffers[], void* arg) {
  (void)arg;
  *(long*)STARPU_VARIABLE_GET_PTR(buffers[0]) = 0;
}

static void add_cpu(void* buffers[], void* arg) {
  (void)arg;
  *(long*)STARPU_VARIABLE_GET_PTR(buffers[0]) += *(long*)STARPU_VARIABLE_GET_PTR(buffers[1]);
}

static struct starpu_codelet dot = {
    .cpu_funcs = {dot_cpu}, .nbuffers = 2, .modes = {STARPU_R, STARPU_REDUX}, .name = "dot"};
static struct starpu_codelet zero = {
    .cpu_funcs = {zero_cpu}, .nbuffers = 1, .modes = {STARPU_W}, .name = "zero"};
static struct starpu_codelet add = {.cpu_funcs = {add_cpu},
                                    .nbuffers = 2,
                                    .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R},
                                    .name = "add"};

int main(void) {
  static long x[BLOCKS * LENGTH], total;
  starpu_data_handle_t vector, sum;
  struct starpu_data_filter blocks = {.filter_func = starpu_vector_filter_block,
                                      .nchildren = BLOCKS};
  for (int i = 0; i < BLOCKS * LENGTH; i++) x[i] = i % 10;
  if (starpu_init(NULL) != 0) return 77;
  starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)x, BLOCKS * LENGTH,
                              sizeof(x[0]));
  starpu_variable_data_register(&sum, STARPU_MAIN_RAM, (uintptr_t)&total, sizeof(total));
  starpu_data_set_reduction_methods(sum, &add, &zero);
  starpu_data_partition(vector, &blocks);
  for (int i = 0; i < BLOCKS; i++)
    starpu_task_insert(&dot, STARPU_R, starpu_data_get_sub_data(vector, 1, i), STARPU_REDUX, sum,
                       0);
  starpu_data_unpartition(vector, STARPU_MAIN_RAM);
  starpu_data_unregister(sum);
  starpu_data_unregister(vector);
  starpu_shutdown();
  printf("x . x = %ld\n", total);
  return 0;
}
