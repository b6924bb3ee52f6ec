/* SPDX-License-Identifier: Apache-2.0
 * A library with a scheduling policy, for STARPU_SCHED_LIB: one list under one lock. */
#include <starpu.h>
#include <string.h>

static struct starpu_task_list list;
static starpu_pthread_mutex_t lock = STARPU_PTHREAD_MUTEX_INITIALIZER;

static void init(unsigned sched_ctx_id) {
  (void)sched_ctx_id;
  starpu_task_list_init(&list);
}

static int push(struct starpu_task* task) {
  STARPU_PTHREAD_MUTEX_LOCK(&lock);
  starpu_task_list_push_back(&list, task);
  starpu_push_task_end(task);
  STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
  return 0;
}

static struct starpu_task* pop(unsigned sched_ctx_id) {
  struct starpu_task* task = NULL;
  (void)sched_ctx_id;
  STARPU_PTHREAD_MUTEX_LOCK(&lock);
  if (!starpu_task_list_empty(&list)) task = starpu_task_list_pop_front(&list);
  STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
  return task;
}

static struct starpu_sched_policy policy = {
    .init_sched = init,
    .push_task = push,
    .pop_task = pop,
    .policy_name = "of-a-library",
    .policy_description = "one list",
    .worker_type = STARPU_WORKER_LIST,
};

struct starpu_sched_policy* starpu_get_sched_lib_policy(const char* name) {
  return strcmp(name, policy.policy_name) == 0 ? &policy : NULL;
}

struct starpu_sched_policy** starpu_get_sched_lib_policies(void) {
  static struct starpu_sched_policy* policies[] = {&policy, NULL};
  return policies;
}
