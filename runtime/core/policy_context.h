// SPDX-License-Identifier: Apache-2.0
// What a scheduling policy keeps and asks of its scheduling context (starpu_sched_ctx.h).
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
  starpu_sched_policy* policy = nullptr;  // its public face; nullptr: none
  void* data = nullptr;                   // the policy's own
  void (*callback)(unsigned) = nullptr;   // the program's, for the policy to call
  // Who goes through them while they change may miss one.
  WorkerCollection workers;
  bool has_collection = true;  // that the program sees
  int min_priority = -5, max_priority = 5;
  bool min_priority_is_set = false, max_priority_is_set = false;
  // Of a modular one, by worker and combined worker.
  std::array<starpu_sched_component*, STARPU_NMAXWORKERS + CombinedWorkers::kMost> leaves{};
};

// A policy for a run or a context, and how programs see it.
struct ChosenPolicy {
  std::unique_ptr<Policy> policy;
  starpu_sched_policy* face = nullptr;
  bool runs_parallel_tasks = false;  // on combined workers, which the machine suggests
};
// 0, or a negative errno with a line.
using ChoosePolicy = int(const starpu_conf& conf, Host& host, int workers, ChosenPolicy& chosen);

}  // namespace tasklens::runtime
