// SPDX-License-Identifier: Apache-2.0
/* More workers than a word has bits: each runs tasks, and contexts of the last ones work. Argument:
 * how many there are. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static char ran_on[STARPU_NMAXWORKERS];
static int strangers; /* tasks of the context on workers that are not in it */
static int first_of_context;

static void nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}
static double takes_us(struct starpu_task* task, unsigned worker, unsigned implementation) {
  (void)task;
  (void)worker;
  (void)implementation;
  return 100;
}
static struct starpu_perfmodel model = {.type = STARPU_PER_WORKER,
                                        .worker_cost_function = takes_us};
static struct starpu_codelet codelet = {
    .cpu_funcs = {nothing}, .cuda_funcs = {nothing}, .model = &model, .name = "nothing"};

static void ended(void* argument) {
  const int worker = starpu_task_get_current()->profiling_info->workerid;
  __atomic_store_n(&ran_on[worker], 1, __ATOMIC_RELAXED);
  if (argument && worker < first_of_context) __atomic_add_fetch(&strangers, 1, __ATOMIC_RELAXED);
}

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? atoi(argv[1]) : 0;
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  if (starpu_init(NULL)) return 77;
  const int workers = (int)starpu_worker_get_count();
  for (int i = 0; i < workers; i++)
    starpu_task_insert(&codelet, STARPU_EXECUTE_ON_WORKER, i, STARPU_CALLBACK, ended, 0);
  for (int i = 0; i < 10 * workers; i++) starpu_task_insert(&codelet, STARPU_CALLBACK, ended, 0);
  starpu_task_wait_for_all();
  int idle = 0;
  for (int i = 0; i < workers; i++) idle += !ran_on[i];

  first_of_context = workers - 20;
  int members[20];
  for (int i = 0; i < 20; i++) members[i] = first_of_context + i;
  const unsigned context =
      starpu_sched_ctx_create(members, 20, "last", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
  for (int i = 0; i < 200; i++)
    starpu_task_insert(&codelet, STARPU_SCHED_CTX, context, STARPU_CALLBACK_WITH_ARG_NFREE, ended,
                       &context, 0);
  starpu_task_wait_for_all();
  const unsigned shared = starpu_sched_ctx_get_nshared_workers(0, context);
  starpu_sched_ctx_delete(context);
  starpu_shutdown();
  printf("workers: %d, idle: %d, in the context: %u, strangers: %d\n", workers, idle, shared,
         strangers);
  return workers != wanted || idle || strangers;
}
