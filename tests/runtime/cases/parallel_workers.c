// SPDX-License-Identifier: Apache-2.0
/* Groups of workers whose tasks have all their processors: parallel regions of a task's function
 * have as many threads as its group has workers, one where the task is not parallel. */
#include <omp.h>
#include <starpu.h>
#include <starpu_parallel_worker.h>
#include <stdio.h>

static int wrong, tasks_of[9], prepared;

static void function(void* buffers[], void* arg) {
  (void)buffers;
  int threads = 0, parallel;
  starpu_codelet_unpack_args(arg, &parallel);
#pragma omp parallel
  __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&tasks_of[threads], 1, __ATOMIC_RELAXED);
  if (!parallel != (threads == 1)) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet codelet = {.cpu_funcs = {function}, .name = "region"};
static void prepare(void* arg) { __atomic_fetch_add((int*)arg, 1, __ATOMIC_RELAXED); }

static void submit(int count) {
  for (int i = 0; i < count; ++i) {
    const int parallel = i % 5 != 0;
    starpu_task_insert(&codelet, STARPU_POSSIBLY_PARALLEL, parallel, STARPU_VALUE, &parallel,
                       sizeof parallel, STARPU_PROLOGUE_CALLBACK_POP,
                       starpu_parallel_worker_openmp_prologue, 0);
  }
  starpu_task_wait_for_all();
}

int main(void) {
  if (starpu_init(NULL)) return 77;
  /* Five and three of eight. */
  struct starpu_parallel_worker_config* config =
      starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_POLICY_NAME, "lws",
                                  STARPU_PARALLEL_WORKER_NEW, STARPU_PARALLEL_WORKER_NCORES, 5, 0);
  if (!config) return 1;
  submit(50);
  wrong += tasks_of[5] != 20 || tasks_of[3] != 20 || tasks_of[1] != 10;
  wrong += starpu_parallel_worker_shutdown(config);
  /* Four times two, each with a function of the program's own at its beginning. */
  config = starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, STARPU_PARALLEL_WORKER_NB, 4,
                                       STARPU_PARALLEL_WORKER_CREATE_FUNC, prepare,
                                       STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG, &prepared, 0);
  submit(50);
  wrong += tasks_of[2] != 40 || prepared != 4;
  wrong += starpu_parallel_worker_print(config) + starpu_parallel_worker_shutdown(config);
  /* As many as can be alike, of two or three, under the names of 1.3. */
  struct starpu_cluster_machine* clusters =
      starpu_cluster_machine(HWLOC_OBJ_MACHINE, STARPU_CLUSTER_MIN_NB, 2, STARPU_CLUSTER_MAX_NB, 3,
                             STARPU_CLUSTER_KEEP_HOMOGENEOUS, 1, 0);
  submit(50);
  wrong += tasks_of[4] != 40 || starpu_uncluster_machine(clusters);
  wrong += starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, 12345, 0) != NULL;
  wrong += starpu_parallel_worker_init(HWLOC_OBJ_PCI_DEVICE, 0) != NULL;
  wrong += starpu_parallel_worker_shutdown(NULL) != -1;
  starpu_shutdown();
  printf("wrong: %d\n", wrong);
  return wrong != 0;
}
