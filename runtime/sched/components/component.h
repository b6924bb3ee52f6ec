// SPDX-License-Identifier: Apache-2.0
// What the kinds of components share among themselves; the public part is starpu_sched_component.h.
#pragma once

#include <starpu_sched_component.h>

namespace tasklens::runtime {

// Pushes to the first child, counted from `first` on and round, that can run the task and takes
// it. 0 or 1, as push_task.
int PushToChildren(starpu_sched_component* component, starpu_task* task, unsigned first);

// A policy's table of functions for a tree of components that `init` builds.
inline starpu_sched_policy ModularPolicy(const char* name, const char* description,
                                         void (*init)(unsigned)) {
  starpu_sched_policy policy = {};
  policy.policy_name = name;
  policy.policy_description = description;
  policy.init_sched = init;
  policy.deinit_sched = starpu_sched_tree_deinitialize;
  policy.add_workers = starpu_sched_tree_add_workers;
  policy.remove_workers = starpu_sched_tree_remove_workers;
  policy.push_task = starpu_sched_tree_push_task;
  policy.pop_task = starpu_sched_tree_pop_task;
  policy.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook;
  policy.post_exec_hook = starpu_sched_component_worker_post_exec_hook;
  policy.worker_type = STARPU_WORKER_LIST;
  return policy;
}

}  // namespace tasklens::runtime
