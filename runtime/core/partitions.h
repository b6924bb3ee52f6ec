// SPDX-License-Identifier: Apache-2.0
// Partitions handles into parts and puts them together again, ordered with the tasks.
#pragma once

#include <starpu.h>

#include <span>

#include "runtime/data/handle.h"
#include "runtime/data/parts.h"

namespace tasklens::runtime {

// Partition the handle; put it together again, including the parts of its parts. Both wait for the
// users of the handle. REQUIRES: the caller is not inside a task.
void Partition(starpu_data_handle_t handle, starpu_data_filter* filter);
void Unpartition(starpu_data_handle_t handle);
// Partitions the leaves of the tree below the handle.
void MapFilter(starpu_data_handle_t handle, starpu_data_filter* filter);

// How a switch waits for tasks on the whole handle, and the callback to call afterwards.
struct Terms {
  bool ordered = true;  // sequentially consistent on the whole handle
  void (*callback)(void*) = nullptr;
  void* argument = nullptr;
};

// The parts of a plan, as MakePlan() gave them.
using PlannedParts = std::span<const starpu_data_handle_t>;
// Makes a plan with the parts that `filter` describes and writes them to `children`.
void MakePlan(starpu_data_handle_t handle, starpu_data_filter* filter,
              starpu_data_handle_t* children);
// Switches the plan off and deletes it with its parts.
void ForgetPlan(starpu_data_handle_t handle, PlannedParts parts, const char* function);
// From now on tasks may use the parts: read them beside the whole handle, or with `writes` also
// write them.
void SwitchPlanOn(starpu_data_handle_t handle, PlannedParts parts, bool writes,
                  const char* function, const Terms& terms = {});
// From now on tasks may only read the parts and the whole handle.
void DowngradePlan(starpu_data_handle_t handle, PlannedParts parts, const char* function);
// From now on tasks may use the whole handle.
void SwitchPlanOff(starpu_data_handle_t handle, PlannedParts parts, const char* function,
                   const Terms& terms = {});
// Switches off all plans of the handle.
void SwitchPlansOff(starpu_data_handle_t handle);

// Submits the switches that tasks submitted from now on need in order to read the handle itself, or
// with `writes` also to write it: its own plans become off or readonly, and the plan that it is a
// part of is switched on.
void SwitchPlans(starpu_data_handle_t handle, bool writes);
// To be called before a task that uses the handle is submitted.
inline void SwitchTo(Handle* handle, AccessKind kind) {
  if (handle->plans_on.load(std::memory_order_relaxed) == 0 && !handle->plan) return;
  if (kind != AccessKind::kScratch) SwitchPlans(handle, kind != AccessKind::kRead);
}

}  // namespace tasklens::runtime
