// SPDX-License-Identifier: Apache-2.0
// Cutting handles into parts, and putting them together, in the order of tasks.
#pragma once

#include <starpu.h>

#include <span>

#include "runtime/data/handle.h"
#include "runtime/data/parts.h"

namespace tasklens::runtime {

// Cuts a handle that nobody uses; puts it together again, with the parts' parts. They wait for its
// users, and are not for the inside of a task.
void Partition(starpu_data_handle_t handle, starpu_data_filter* filter);
void Unpartition(starpu_data_handle_t handle);
// Cuts the leaves of the tree below the handle.
void MapFilter(starpu_data_handle_t handle, starpu_data_filter* filter);

// How a switch waits for tasks on the whole, and what is told when it has happened.
struct Terms {
  bool ordered = true;  // sequentially consistent on the whole
  void (*callback)(void*) = nullptr;
  void* argument = nullptr;
};

// The parts of a plan, as MakePlan() gave them.
using PlannedParts = std::span<const starpu_data_handle_t>;
// Plans the parts that `filter` describes, and writes them to `children`.
void MakePlan(starpu_data_handle_t handle, starpu_data_filter* filter,
              starpu_data_handle_t* children);
// Switches the plan off and takes it away, with its parts.
void ForgetPlan(starpu_data_handle_t handle, PlannedParts parts, const char* function);
// The parts may be used from now on: to read them, beside the whole, or also to write.
void SwitchPlanOn(starpu_data_handle_t handle, PlannedParts parts, bool writes,
                  const char* function, const Terms& terms = {});
// They may only be read from now on, as may the whole.
void DowngradePlan(starpu_data_handle_t handle, PlannedParts parts, const char* function);
// The whole may be used from now on.
void SwitchPlanOff(starpu_data_handle_t handle, PlannedParts parts, const char* function,
                   const Terms& terms = {});
// The same for all plans of the handle.
void SwitchPlansOff(starpu_data_handle_t handle);

// Submits what must be switched so that tasks submitted from now on may use the handle itself, to
// read it or also to write: its own plans off or readonly, and the plan that it is a part of on.
void SwitchPlans(starpu_data_handle_t handle, bool writes);
// Before a task is submitted that uses the handle.
inline void SwitchTo(Handle* handle, AccessKind kind) {
  if (handle->plans_on.load(std::memory_order_relaxed) == 0 && !handle->plan) return;
  if (kind != AccessKind::kScratch) SwitchPlans(handle, kind != AccessKind::kRead);
}

}  // namespace tasklens::runtime
