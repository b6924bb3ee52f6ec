/* SPDX-License-Identifier: Apache-2.0
 * A region and its tasks in C: see openmp_recording_test.cc. */
#include <starpu.h>
#include <string.h>

void ExpectPlace(const char* task, int line);

static void Nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}

static void Waiting(void* buffers[], void* argument) {
  struct starpu_omp_task_region_attr attr;
  (void)buffers;
  (void)argument;
  memset(&attr, 0, sizeof(attr));
  attr.cl.cpu_funcs[0] = Nothing;
  attr.cl.name = "child";
  attr.if_clause = 1;
  ExpectPlace("child", __LINE__ + 1);
  starpu_omp_task_region(&attr);
  starpu_omp_taskwait();
}

static void Region(void* buffers[], void* argument) {
  struct starpu_omp_task_region_attr attr;
  (void)buffers;
  (void)argument;
  memset(&attr, 0, sizeof(attr));
  attr.cl.cpu_funcs[0] = Waiting;
  attr.cl.name = "waiting";
  attr.if_clause = 1;
  ExpectPlace("waiting", __LINE__ + 1);
  starpu_omp_task_region(&attr);
  attr.cl.cpu_funcs[0] = Nothing;
  attr.cl.name = NULL;
  ExpectPlace("omp_task", __LINE__ + 1);
  starpu_omp_task_region(&attr);
}

void RunRegionInC(void) {
  struct starpu_omp_parallel_region_attr attr;
  memset(&attr, 0, sizeof(attr));
  attr.cl.cpu_funcs[0] = Region;
  attr.if_clause = 1;
  ExpectPlace("omp_parallel", __LINE__ + 1);
  starpu_omp_parallel_region(&attr);
}
