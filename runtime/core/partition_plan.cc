// SPDX-License-Identifier: Apache-2.0
// Asynchronous partitioning: switching a handle between itself and its planned parts is a job that
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

// Plans are switched in the order of submission, one at a time.
ReentrantMutex& PlanLock() {
  static ReentrantMutex lock;
  return lock;
}

// For the time of a block. What becomes ready starts after it, as it may call code of the program.
struct Planning {
  const StartsLater later;
  const MutexLock<ReentrantMutex> guard{PlanLock()};
};

bool Writes(const Access& access) { return access.kind == AccessKind::kWrite; }

// What a switch does with values; the parts lie in the main memory of the whole. What devices have
// of the side that was not used is old.
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
  bool initialized = false;  // a part whose value was given up leaves the others'
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

// A switch is a job that uses the whole and the parts. Who it makes wait is all that differs: as a
// writer of one side it waits for its users, and its later users wait for the switch; as a reader
// it lets other readers be.
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

void LetUse(Handle* handle, bool writes);

// Off, with the plans of the parts. What was only read passes no value.
void SwitchOff(Handle* whole, Plan* plan, const Terms& terms = {}) {
  if (plan->state == Plan::State::kOff) return;
  const bool written = plan->state == Plan::State::kReadWrite;
  for (Handle* part : plan->parts) LetUse(part, /*writes=*/true);
  SubmitSwitch(whole, plan, "unpartition", written ? &IntoWhole : &EndControlJob,
               written ? AccessKind::kWrite : AccessKind::kRead, AccessKind::kWrite, terms);
  SetState(whole, plan, Plan::State::kOff);
}

// From parts that may be written to parts and a whole that may be read.
void Downgrade(Handle* whole, Plan* plan) {
  if (plan->state != Plan::State::kReadWrite) return;
  for (Handle* part : plan->parts) LetUse(part, /*writes=*/false);
  SubmitSwitch(whole, plan, "unpartition readonly", &IntoWhole, AccessKind::kWrite,
               AccessKind::kRead);
  SetState(whole, plan, Plan::State::kReadonly);
}

// The plans of the handle are such that it may be used itself.
void LetUse(Handle* handle, bool writes) {
  for (const auto& plan : handle->plans) {
    if (writes) {
      SwitchOff(handle, plan.get());
    } else {
      Downgrade(handle, plan.get());
    }
  }
}

void SwitchOn(Handle* whole, Plan* plan, bool writes, const Terms& terms = {});

// The plan that the handle is a part of is on.
void ReachPart(Handle* handle, bool writes) {
  if (handle->plan) SwitchOn(handle->parent, handle->plan, writes);
}

void SwitchOn(Handle* whole, Plan* plan, bool writes, const Terms& terms) {
  if (plan->state == Plan::State::kReadWrite) return;
  if (plan->state == Plan::State::kReadonly && !writes) return;
  ReachPart(whole, writes);
  for (const auto& other : whole->plans) {
    if (other.get() == plan) continue;
    if (writes) {
      SwitchOff(whole, other.get());
    } else {
      Downgrade(whole, other.get());
    }
  }
  if (plan->state == Plan::State::kReadonly) {
    // The values are there. Writers of parts wait for the readers of the whole.
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
