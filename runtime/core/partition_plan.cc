// SPDX-License-Identifier: Apache-2.0
// Asynchronous partitioning: switching between a handle and its planned parts is a job that
// accesses all of them.
#include <algorithm>

#include "runtime/core/acquire.h"
#include "runtime/core/duplicates.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/partitions.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/reentrant_mutex.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// Held while plans are switched: one at a time, in the order of submission.
ReentrantMutex& PlanLock() {
  static ReentrantMutex lock;
  return lock;
}

// Holds PlanLock() for the time of a block. Jobs that become ready start after the block, as they
// may call code of the program.
struct Planning {
  const StartsLater later;
  const MutexLock<ReentrantMutex> guard{PlanLock()};
};

bool Writes(const Access& access) { return access.kind == AccessKind::kWrite; }

// The functions of switches. The parts lie in the main memory of the whole handle; device copies of
// the side that was not in use are stale.
void IntoParts(Job* job) {
  Residency& residency = Runtime::Instance()->residency();
  Handle* whole = static_cast<Handle*>(job->control);
  for (const Access& access : job->accesses) {
    if (access.handle == whole) residency.Gather(whole, Writes(access));
  }
  for (const Access& access : job->accesses) {
    if (access.handle == whole) continue;
    if (access.handle->has_copies || access.handle->away) residency.Invalidate(access.handle);
    access.handle->initialized = whole->initialized.load();
    access.handle->arrives = whole->arrives.load();
  }
  EndControlJob(job);
}
void IntoWhole(Job* job) {
  Residency& residency = Runtime::Instance()->residency();
  Handle* whole = static_cast<Handle*>(job->control);
  bool initialized = false;  // true if any part has a value: others may have been invalidated
  for (const Access& access : job->accesses) {
    if (access.handle == whole) continue;
    initialized = initialized || access.handle->initialized;
    residency.Gather(access.handle, Writes(access));
    whole->arrives = Runtime::Instance()->Both(whole->arrives, access.handle->arrives);
  }
  if (whole->has_copies || whole->away) residency.Invalidate(whole);
  whole->initialized = initialized;
  EndControlJob(job);
}

// A switch is a job that accesses the whole and the parts. The access kinds decide who waits: as a
// writer of one side it waits for that side's users, and later users wait for the switch; as a
// reader it does not exclude other readers.
void SubmitSwitch(Handle* whole, Plan* plan, const char* name, void (*pass)(Job*),
                  AccessKind whole_kind, AccessKind part_kind, const Terms& terms = {}) {
  AboutToUse(whole, whole_kind);
  Job* job = NewJob(/*with_task=*/true);
  job->type = kTypeInternal;
  job->task->name = name;
  job->task->callback_func = terms.callback;
  job->task->callback_arg = terms.argument;
  job->control = whole;
  job->on_ready = pass;
  AddAccess(job, whole, whole_kind, whole->sequential && terms.ordered);
  for (Handle* part : plan->parts) AddAccess(job, part, part_kind, part->sequential);
  SubmitInternal(job);
}

void SetState(Handle* whole, Plan* plan, Plan::State state) {
  const auto is_on = [](Plan::State of) { return of != Plan::State::kOff; };
  if (is_on(state) != is_on(plan->state)) whole->plans_on.fetch_add(is_on(state) ? 1 : ~0u);
  plan->state = state;
}

void LetUse(Handle* handle, bool writes, const Plan* but = nullptr);

// Switches the plan off, with the plans of its parts. A readonly plan passes no value back.
void SwitchOff(Handle* whole, Plan* plan, const Terms& terms = {}) {
  if (plan->state == Plan::State::kOff) return;
  const bool written = plan->state == Plan::State::kReadWrite;
  for (Handle* part : plan->parts) LetUse(part, /*writes=*/true);
  SubmitSwitch(whole, plan, "unpartition", written ? &IntoWhole : &EndControlJob,
               written ? AccessKind::kWrite : AccessKind::kRead, AccessKind::kWrite, terms);
  SetState(whole, plan, Plan::State::kOff);
}

// Switches from writable parts to readable parts and a readable whole.
void Downgrade(Handle* whole, Plan* plan) {
  if (plan->state != Plan::State::kReadWrite) return;
  for (Handle* part : plan->parts) LetUse(part, /*writes=*/false);
  SubmitSwitch(whole, plan, "unpartition readonly", &IntoWhole, AccessKind::kWrite,
               AccessKind::kRead);
  SetState(whole, plan, Plan::State::kReadonly);
}

// Switches the plans of the handle, all but one, so that the handle itself may be used.
void LetUse(Handle* handle, bool writes, const Plan* but) {
  for (const auto& plan : handle->plans) {
    if (plan.get() == but) continue;
    if (writes) {
      SwitchOff(handle, plan.get());
    } else {
      Downgrade(handle, plan.get());
    }
  }
}

void SwitchOn(Handle* whole, Plan* plan, bool writes, const Terms& terms = {});

// Switches on the plan that the handle is a part of, if any.
void ReachPart(Handle* handle, bool writes) {
  if (handle->plan) SwitchOn(handle->parent, handle->plan, writes);
}

void SwitchOn(Handle* whole, Plan* plan, bool writes, const Terms& terms) {
  if (plan->state == Plan::State::kReadWrite) return;
  if (plan->state == Plan::State::kReadonly && !writes) return;
  ReachPart(whole, writes);
  LetUse(whole, writes, plan);
  if (plan->state == Plan::State::kReadonly) {
    // The parts have their values already; only writers of parts must wait for the readers of the
    // whole.
    SubmitSwitch(whole, plan, "partition", &EndControlJob, AccessKind::kWrite, AccessKind::kRead,
                 terms);
  } else {
    SubmitSwitch(whole, plan, writes ? "partition" : "partition readonly", &IntoParts,
                 writes ? AccessKind::kWrite : AccessKind::kRead, AccessKind::kWrite, terms);
  }
  SetState(whole, plan, writes ? Plan::State::kReadWrite : Plan::State::kReadonly);
}

Plan* PlanOf(Handle* whole, PlannedParts parts, const char* function) {
  for (const auto& plan : whole->plans) {
    if (std::ranges::equal(plan->parts, parts)) return plan.get();
  }
  Fatal("%s(): %s has no plan with these parts", function, Describe(whole).c_str());
}

}  // namespace

void SwitchPlans(Handle* handle, bool writes) {
  const Planning planning;
  const Handle* whole = handle->plan ? handle->parent : handle;
  if (!whole->switches_itself) return;
  ReachPart(handle, writes);
  LetUse(handle, writes);
}

void MakePlan(Handle* handle, starpu_data_filter* filter, Handle** children) {
  auto plan = std::make_unique<Plan>();
  plan->parts = MakeParts(Runtime::ResidencyNow(), handle, filter);
  const Planning planning;
  for (starpu_data_handle_t part : plan->parts) {
    part->plan = plan.get();
    part->initialized = false;  // until the plan is switched on
  }
  std::copy(plan->parts.begin(), plan->parts.end(), children);
  handle->plans.push_back(std::move(plan));
}

void ForgetPlan(Handle* handle, PlannedParts parts, const char* function) {
  const Planning planning;
  Plan* plan = PlanOf(handle, parts, function);
  SwitchOff(handle, plan);
  const std::vector<Handle*> gone = plan->parts;
  std::erase_if(handle->plans, [plan](const auto& other) { return other.get() == plan; });
  for (Handle* part : gone) {
    part->plan = nullptr;
    LetGoLater(part);
  }
}

void SwitchPlanOn(Handle* handle, PlannedParts parts, bool writes, const char* function,
                  const Terms& terms) {
  const Planning planning;
  SwitchOn(handle, PlanOf(handle, parts, function), writes, terms);
}

void DowngradePlan(Handle* handle, PlannedParts parts, const char* function) {
  const Planning planning;
  Downgrade(handle, PlanOf(handle, parts, function));
}

void SwitchPlanOff(Handle* handle, PlannedParts parts, const char* function, const Terms& terms) {
  const Planning planning;
  SwitchOff(handle, PlanOf(handle, parts, function), terms);
}

void SwitchPlansOff(Handle* handle) {
  const Planning planning;
  LetUse(handle, /*writes=*/true);
}

}  // namespace tasklens::runtime
