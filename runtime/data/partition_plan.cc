// SPDX-License-Identifier: Apache-2.0
// Asynchronous partitioning: switching a handle between itself and its planned parts is a job that
// accesses all of them.
#include <algorithm>
#include <mutex>

#include "runtime/core/lifecycle.h"
#include "runtime/core/message.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/data/acquire.h"
#include "runtime/data/handle.h"
#include "runtime/data/partition.h"

namespace tasklens::runtime {
namespace {

// Plans are switched in the order of submission, one at a time.
std::recursive_mutex& PlanLock() {
  static std::recursive_mutex lock;
  return lock;
}

enum class Direction { kSplit, kGather };

// The value of the whole becomes that of the parts, or the other way round.
void Pass(Job* job) {
  Handle* whole = static_cast<Handle*>(job->control);
  const bool split = job->task->flops == 0;
  bool initialized = false;  // a part whose value was given up leaves the others'
  for (const Access& access : job->accesses) {
    if (access.handle == whole) continue;
    if (split) {
      access.handle->initialized = whole->initialized.load();
    } else {
      initialized = initialized || access.handle->initialized;
    }
  }
  if (!split) whole->initialized = initialized;
  EndControlJob(job);
}

void SubmitSwitch(Handle* whole, const std::vector<Handle*>& parts, Direction direction,
                  AccessKind whole_kind, AccessKind part_kind) {
  Job* job = NewJob(/*with_task=*/true);
  job->type = kTypeInternal;
  job->task->name = direction == Direction::kSplit ? "partition" : "unpartition";
  job->task->flops = direction == Direction::kSplit ? 0 : 1;  // read by Pass()
  job->control = whole;
  job->on_ready = &Pass;
  AddAccess(job, whole, whole_kind, whole->sequential);
  for (Handle* part : parts) AddAccess(job, part, part_kind, part->sequential);
  SubmitInternal(job);
}

void Split(Handle* whole, Plan* plan) {
  SubmitSwitch(whole, plan->parts, Direction::kSplit, AccessKind::kWrite, AccessKind::kWrite);
  whole->active_plan = plan;
}

void Gather(Handle* whole) {
  Plan* plan = whole->active_plan;
  if (!plan) return;
  for (Handle* part : plan->parts) Gather(part);
  SubmitSwitch(whole, plan->parts, Direction::kGather, AccessKind::kWrite, AccessKind::kWrite);
  whole->active_plan = nullptr;
}

Plan* PlanOf(Handle* whole, unsigned count, starpu_data_handle_t* children, const char* function) {
  for (const auto& plan : whole->plans) {
    if (plan->parts.size() == count &&
        std::equal(plan->parts.begin(), plan->parts.end(), children)) {
      return plan.get();
    }
  }
  Fatal("%s(): %s has no plan with these parts", function, Describe(whole).c_str());
}

}  // namespace

void SwitchTo(Handle* handle) {
  std::lock_guard guard(PlanLock());
  if (handle->plan && handle->parent->active_plan != handle->plan) {
    SwitchTo(handle->parent);  // switches another plan off, too
    Split(handle->parent, handle->plan);
  }
  Gather(handle);
}

}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_data_partition_plan(starpu_data_handle_t handle, starpu_data_filter* filter,
                                starpu_data_handle_t* children) {
  std::lock_guard guard(PlanLock());
  auto plan = std::make_unique<Plan>();
  plan->parts = MakeParts(handle, filter);
  for (starpu_data_handle_t part : plan->parts) {
    part->plan = plan.get();
    part->initialized = false;  // until the plan is switched on
  }
  std::copy(plan->parts.begin(), plan->parts.end(), children);
  handle->plans.push_back(std::move(plan));
}

void starpu_data_partition_submit(starpu_data_handle_t handle, unsigned count,
                                  starpu_data_handle_t* children) {
  std::lock_guard guard(PlanLock());
  Plan* plan = PlanOf(handle, count, children, "starpu_data_partition_submit");
  if (handle->active_plan == plan) return;
  SwitchTo(handle);
  Split(handle, plan);
}
void starpu_data_partition_readonly_submit(starpu_data_handle_t handle, unsigned count,
                                           starpu_data_handle_t* children) {
  // Readers of the whole come before or after readers of the parts, never beside them: correct, and
  // less parallel than it could be.
  starpu_data_partition_submit(handle, count, children);
}
void starpu_data_partition_readwrite_upgrade_submit(starpu_data_handle_t handle, unsigned count,
                                                    starpu_data_handle_t* children) {
  starpu_data_partition_submit(handle, count, children);
}
void starpu_data_partition_readonly_downgrade_submit(starpu_data_handle_t handle, unsigned count,
                                                     starpu_data_handle_t* children) {
  starpu_data_partition_submit(handle, count, children);
}

void starpu_data_unpartition_submit(starpu_data_handle_t handle, unsigned count,
                                    starpu_data_handle_t* children, int) {
  std::lock_guard guard(PlanLock());
  Plan* plan = PlanOf(handle, count, children, "starpu_data_unpartition_submit");
  if (handle->active_plan == plan) SwitchTo(handle);
}
void starpu_data_unpartition_readonly_submit(starpu_data_handle_t handle, unsigned count,
                                             starpu_data_handle_t* children, int node) {
  starpu_data_unpartition_submit(handle, count, children, node);
}

void starpu_data_partition_clean_node(starpu_data_handle_t handle, unsigned count,
                                      starpu_data_handle_t* children, int) {
  std::unique_lock guard(PlanLock());
  Plan* plan = PlanOf(handle, count, children, "starpu_data_partition_clean");
  if (handle->active_plan == plan) SwitchTo(handle);
  const std::vector<starpu_data_handle_t> parts = plan->parts;
  std::erase_if(handle->plans, [plan](const auto& other) { return other.get() == plan; });
  for (starpu_data_handle_t part : parts) {
    part->plan = nullptr;
    starpu_data_unregister_submit(part);
  }
  // When the tasks on the parts are over.
  SubmitControl(handle, AccessKind::kWrite, [](Handle* whole, unsigned) { UnpinForParts(whole); });
}
void starpu_data_partition_clean(starpu_data_handle_t handle, unsigned count,
                                 starpu_data_handle_t* children) {
  starpu_data_partition_clean_node(handle, count, children, STARPU_MAIN_RAM);
}

}  // extern "C"
