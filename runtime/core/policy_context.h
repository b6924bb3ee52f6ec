// SPDX-License-Identifier: Apache-2.0
// The state that a scheduling context keeps for its policy (starpu_sched_ctx.h).
#pragma once

#include <starpu.h>

#include <array>
#include <memory>

#include "runtime/core/worker_collection.h"
#include "runtime/sched/policy.h"
#include "runtime/support/combined_workers.h"

struct starpu_sched_component;

namespace tasklens::runtime {

struct PolicyContext {
  starpu_sched_policy* policy = nullptr;  // the public struct of the policy; nullptr: none
  void* data = nullptr;                   // owned by the policy
  void (*callback)(unsigned) = nullptr;   // of the program, for the policy to call
  // A thread that iterates over them while they change may miss one.
  WorkerCollection workers;
  bool has_collection = true;  // whether the program sees the collection
  int min_priority = -5, max_priority = 5;
  bool min_priority_is_set = false, max_priority_is_set = false;
  // For a modular policy: the leaf components by worker and combined worker.
  std::array<starpu_sched_component*, STARPU_NMAXWORKERS + CombinedWorkers::kMost> leaves{};
};

// A policy for a run or a context, and the public struct by which programs see it.
struct ChosenPolicy {
  std::unique_ptr<Policy> policy;
  starpu_sched_policy* face = nullptr;
  bool runs_parallel_tasks = false;  // on the combined workers that FindCombinations() suggests
};
// Returns 0, or a negative errno (with a warning).
using ChoosePolicy = int(const starpu_conf& conf, Host& host, int workers, ChosenPolicy& chosen);

}  // namespace tasklens::runtime
