// SPDX-License-Identifier: Apache-2.0
// Helpers for scheduling policies that are trees of components.
#pragma once

#include <starpu_sched_component.h>

#include <memory>

#include "runtime/core/program_policy.h"

namespace tasklens::runtime {

// The public struct of a policy whose tree `init` builds.
inline starpu_sched_policy ModularPolicy(const char* name, const char* description,
                                         void (*init)(unsigned context)) {
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

// The policy's row in the table of policies.
template <const char* kName, const char* kDescription, void (*kInit)(unsigned context)>
constexpr PolicySpec ModularSpec() {
  return {kName, kDescription, [](Host&, int) -> std::unique_ptr<Policy> {
            static const starpu_sched_policy functions = ModularPolicy(kName, kDescription, kInit);
            return std::make_unique<ProgramPolicy>(functions);
          }};
}

}  // namespace tasklens::runtime
