// SPDX-License-Identifier: Apache-2.0
// A scheduling policy as programs write them: a list of tasks per worker, under the worker's lock;
// workers without tasks steal.
#pragma once

#include <starpu.h>

namespace tasklens {

struct OwnPolicyData {
  starpu_task_list lists[STARPU_NMAXWORKERS];
  int next = 0;
};

inline OwnPolicyData& OwnData(unsigned context) {
  return *static_cast<OwnPolicyData*>(starpu_sched_ctx_get_policy_data(context));
}

// The first task of a list that the worker can run.
inline starpu_task* TakeFrom(starpu_task_list& list, unsigned worker) {
  for (starpu_task* task = starpu_task_list_begin(&list); task != starpu_task_list_end(&list);
       task = starpu_task_list_next(task)) {
    unsigned implementation;
    if (!starpu_worker_can_execute_task_first_impl(worker, task, &implementation)) continue;
    starpu_task_list_erase(&list, task);
    starpu_task_set_implementation(task, implementation);
    return task;
  }
  return nullptr;
}

inline starpu_sched_policy OwnPolicy() {
  starpu_sched_policy policy = {};
  policy.policy_name = "own";
  policy.policy_description = "a list per worker, with stealing";
  policy.init_sched = [](unsigned context) {
    starpu_sched_ctx_set_policy_data(context, new OwnPolicyData);
  };
  policy.deinit_sched = [](unsigned context) { delete &OwnData(context); };
  policy.add_workers = [](unsigned context, int* workers, unsigned count) {
    for (unsigned i = 0; i < count; ++i) starpu_task_list_init(&OwnData(context).lists[workers[i]]);
  };
  policy.push_task = [](starpu_task* task) {
    OwnPolicyData& data = OwnData(task->sched_ctx);
    const int count = static_cast<int>(starpu_sched_ctx_get_nworkers(task->sched_ctx));
    const int target = __atomic_fetch_add(&data.next, 1, __ATOMIC_RELAXED) % count;
    starpu_worker_lock(target);
    starpu_task_list_push_back(&data.lists[target], task);
    starpu_push_task_end(task);
    starpu_wake_worker_locked(target);
    starpu_worker_unlock(target);
    return 0;
  };
  policy.pop_task = [](unsigned context) -> starpu_task* {
    OwnPolicyData& data = OwnData(context);
    const unsigned self = starpu_worker_get_id_check();
    if (starpu_task* task = TakeFrom(data.lists[self], self)) return task;
    starpu_worker_collection* workers = starpu_sched_ctx_get_worker_collection(context);
    starpu_sched_ctx_iterator it;
    workers->init_iterator(workers, &it);
    while (workers->has_next(workers, &it)) {
      const int victim = workers->get_next(workers, &it);
      if (victim == static_cast<int>(self)) continue;
      starpu_worker_lock(victim);
      starpu_task* task = TakeFrom(data.lists[victim], self);
      starpu_worker_unlock(victim);
      if (task) return task;
    }
    return nullptr;
  };
  return policy;
}

}  // namespace tasklens
