// SPDX-License-Identifier: Apache-2.0
// What a scheduling policy keeps and asks of its scheduling context (starpu_sched_ctx.h).
#pragma once

#include <starpu.h>

#include <array>

#include "runtime/core/combined_workers.h"
#include "runtime/sched/worker_collection.h"

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

}  // namespace tasklens::runtime
