/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler makes of OpenMP's directives, by hand: a region with a loop, and tasks that wait
 * for each other by their data. The directives stand above what stands for them. */
#include <starpu.h>
#include <stdio.h>
#include <string.h>

#define N 1000

static double array[N], sum;

/* #pragma omp for schedule(dynamic, 64) */
static void fill(unsigned long long first, unsigned long long count, void* arg) {
  (void)arg;
  for (unsigned long long i = first; i < first + count; i++) array[i] = (double)i;
}

static void add_half(void* buffers[], void* arg) {
  const double* half = (const double*)STARPU_VECTOR_GET_PTR(buffers[0]);
  double* total = (double*)STARPU_VARIABLE_GET_PTR(buffers[1]);
  (void)arg;
  for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++) *total += half[i];
}

/* #pragma omp task depend(in: array[from:N / 2]) depend(inout: sum) */
static void make_task(int from) {
  struct starpu_omp_task_region_attr attr;
  starpu_data_handle_t handles[2];
  starpu_vector_data_register(&handles[0], STARPU_MAIN_RAM, (uintptr_t)&array[from], N / 2,
                              sizeof(array[0]));
  starpu_omp_handle_register(handles[0]); /* the region unregisters it */
  handles[1] = starpu_omp_data_lookup(&sum);
  memset(&attr, 0, sizeof(attr));
  attr.cl.cpu_funcs[0] = add_half;
  attr.cl.name = "add_half";
  attr.cl.nbuffers = 2;
  attr.cl.modes[0] = STARPU_R;
  attr.cl.modes[1] = STARPU_RW;
  attr.handles = handles;
  attr.if_clause = 1;
  starpu_omp_task_region(&attr);
}

/* #pragma omp single */
static void make_tasks(void* arg) {
  starpu_data_handle_t of_sum;
  (void)arg;
  starpu_variable_data_register(&of_sum, STARPU_MAIN_RAM, (uintptr_t)&sum, sizeof(sum));
  starpu_omp_handle_register(of_sum);
  make_task(0);
  make_task(N / 2);
  starpu_omp_taskwait(); /* #pragma omp taskwait */
  printf("the tasks have ended\n");
}

/* #pragma omp parallel */
static void region(void* buffers[], void* arg) {
  (void)buffers;
  (void)arg;
  starpu_omp_for(fill, NULL, N, 64, starpu_omp_sched_dynamic, 0, 0);
  starpu_omp_single(make_tasks, NULL, 0);
}

int main(void) {
  struct starpu_omp_parallel_region_attr attr;
  if (starpu_omp_init() != 0) return 77;
  memset(&attr, 0, sizeof(attr));
  attr.cl.cpu_funcs[0] = region;
  attr.cl.name = "region";
  attr.if_clause = 1;
  starpu_omp_parallel_region(&attr);
  printf("the sum of 0 to %d is %.0f\n", N - 1, sum);
  starpu_omp_shutdown();
  return 0;
}
