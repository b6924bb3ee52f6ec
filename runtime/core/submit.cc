// SPDX-License-Identifier: Apache-2.0
// Checks the task, with a warning for each error, then calls SubmitJob().
#include "runtime/core/submit.h"

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>

#include "runtime/core/duplicates.h"
#include "runtime/core/eligibility.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/partitions.h"
#include "runtime/core/runtime.h"
#include "runtime/core/specific_nodes.h"
#include "runtime/core/task_times.h"
#include "runtime/core/trace_points.h"
#include "runtime/core/transaction.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

std::string Where(const Site& site) {
  if (!site.file) return "";
  return std::string(site.file) + ":" + std::to_string(site.line) + ": ";
}

// Prints what is wrong with a task and returns `error`.
int Refuse(const starpu_task* task, const Site& site, int error, const char* why) {
  Warn("%stask '%s' is not accepted: %s", Where(site).c_str(), NameOf(*task), why);
  return error;
}

// A bubble function is not called, as in a StarPU that was built without --enable-bubble. Warns
// once.
void TellOfBubble(const starpu_task& task, const Site& site) {
  static std::once_flag told;
  std::call_once(told, [&] {
    Warn("%stask '%s' has a bubble function, which is not called: the task runs as it is",
         Where(site).c_str(), NameOf(task));
  });
}

int CheckTask(Runtime& runtime, starpu_task* task, const Site& site) {
  if (task->magic != 42) {
    Warn("%sa task is not accepted: neither starpu_task_create() nor starpu_task_init() made it",
         Where(site).c_str());
    return -EINVAL;
  }
  if (task->synchronous && ThisThread().current) {
    return Refuse(task, site, -EDEADLK, "it is synchronous, and this is inside a task or callback");
  }
  if (!task->cl) return 0;
  const starpu_codelet& codelet = *task->cl;
  if (task->bubble_func || codelet.bubble_func) TellOfBubble(*task, site);
  if (codelet.nbuffers > STARPU_NMAXBUFS && !task->dyn_handles) {
    return Refuse(task, site, -EINVAL, "more than STARPU_NMAXBUFS buffers need dyn_handles");
  }
  if (HasWork(*task) && !runtime.simulation() && !(WhereOf(*task) & runtime.kinds())) {
    return Refuse(task, site, -ENODEV, "no worker can run it: its codelet is not for CPUs");
  }
  if (task->execute_on_a_specific_worker && !runtime.worker(static_cast<int>(task->workerid)) &&
      !runtime.CombinedWorker(static_cast<int>(task->workerid))) {
    return Refuse(task, site, -ENODEV, "there is no worker of the number in its workerid");
  }
  const unsigned count = BufferCount(*task);
  for (unsigned i = 0; i < count; ++i) {
    const Handle* handle = BufferHandle(*task, i);
    if (!handle) return Refuse(task, site, -EINVAL, "one of its handles is NULL");
    if (!IsRegistered(handle)) {
      return Refuse(task, site, -EINVAL, "one of its handles was unregistered before");
    }
    if (!handle->children.empty()) {
      return Refuse(task, site, -EINVAL,
                    "one of its handles is partitioned: use the parts, or unpartition it first");
    }
  }
  if (codelet.specific_nodes) [[unlikely]] {
    const std::string fault = FaultOfNodes(runtime, *task);
    if (!fault.empty()) return Refuse(task, site, -EINVAL, fault.c_str());
  }
  return 0;
}

// The scheduling context that the task asks for, else that of the thread.
unsigned ContextOf(const starpu_task& task) {
  if (task.sched_ctx != STARPU_NMAX_SCHED_CTXS) return task.sched_ctx;
  const unsigned* context = ThisThread().context;
  return context ? *context : 0;
}

// Applies the worker or combined worker that the task itself asks for.
void FollowTask(Runtime& runtime, Job* job) {
  const starpu_task* task = job->task;
  const starpu_codelet& codelet = *task->cl;
  job->pinned_worker = -1;
  job->parallel = 0;
  const uint16_t named =
      runtime.combined().size() > 0 ? NamedCombinedWorker(runtime, *task) : uint16_t{0};
  if (named) {
    job->parallel = named;
  } else if (!task->execute_on_a_specific_worker) {
    if (!job->context) job->parallel = runtime.CombinedFor(codelet);
  } else {
    job->pinned_worker = static_cast<int16_t>(task->workerid);
  }
}

// In a simulation: marks data with real values, which are copied with the handle.
void MarkComputed(Handle* handle) {
  for (; handle; handle = handle->parent) handle->is_computed = true;
}

void CollectAccesses(Job* job, Ordering ordering) {
  const starpu_task& task = *job->task;
  const unsigned count = BufferCount(task);
  constexpr int kForReal =
      STARPU_CODELET_SIMGRID_EXECUTE | STARPU_CODELET_SIMGRID_EXECUTE_AND_INJECT;
  const bool computes = VirtualTime::On() && (task.cl->flags & kForReal);
  for (unsigned i = 0; i < count; ++i) {
    Handle* handle = BufferHandle(task, i);
    if (computes) MarkComputed(handle);
    AboutToUse(handle, KindOf(BufferMode(task, i)));
    if (!(BufferMode(task, i) & STARPU_NOPLAN) && !(task.cl->flags & STARPU_CODELET_NOPLANS)) {
      SwitchTo(handle, KindOf(BufferMode(task, i)));
    }
    const bool ordered =
        ordering == Ordering::kFull && task.sequential_consistency && handle->sequential &&
        (!task.handles_sequential_consistency || task.handles_sequential_consistency[i]);
    AddAccess(job, handle, KindOf(BufferMode(task, i)), ordered);
  }
  if (task.transaction || task.trs_epoch) JoinEpoch(job);
}

// Threads that wait for a job submitted before go on waiting, for its new end.
void SetSubmitted(Job* job, bool again) {
  constexpr auto kSubmitted = static_cast<uint32_t>(JobState::kSubmitted);
  if (!again) return job->state.store(kSubmitted, std::memory_order_relaxed);
  ChangeState(job, JobState::kSubmitted);
}

void Throttle(Runtime& runtime) {
  if (runtime.settings.limit_max_submitted == 0 || ThisThread().current || ThisThread().worker)
    return;
  if (runtime.job_counts().Outstanding() < runtime.settings.limit_max_submitted) return;
  trace::Within within(StateKind::kThrottling);
  runtime.WaitForOutstanding(runtime.settings.limit_min_submitted);
}

// Keeps the priority within the limits that a program sets with performance knobs.
inline void LimitPriority(const Runtime& runtime, starpu_task* task) {
  const int floor = runtime.settings.priority_floor.load(std::memory_order_relaxed);
  const int ceiling = runtime.settings.priority_ceiling.load(std::memory_order_relaxed);
  if (task->priority < floor) task->priority = floor;
  if (task->priority > ceiling) task->priority = ceiling;
}

}  // namespace

void AddAccess(Job* job, Handle* handle, AccessKind kind, bool ordered) {
  auto& accesses = job->accesses;
  uint32_t at = accesses.size();
  while (at > 0 && std::less<>()(handle, accesses[at - 1].handle)) --at;
  if (at > 0 && accesses[at - 1].handle == handle) {
    Access& same = accesses[at - 1];
    // Two accesses of the same kind keep it; any other two (but scratch) become exclusive.
    if (same.kind == AccessKind::kScratch) {
      same.kind = kind;
    } else if (kind != AccessKind::kScratch && kind != same.kind) {
      same.kind = AccessKind::kWrite;
    }
    same.ordered = same.ordered && ordered;
    return;
  }
  accesses.push_back({});
  for (uint32_t i = accesses.size() - 1; i > at; --i) accesses[i] = accesses[i - 1];
  accesses[at] = {handle, kind, ordered, false};
}

int SubmitTask(starpu_task* task, const Site& site, Ordering ordering) {
  Runtime* runtime = Runtime::Instance();
  if (!runtime || Runtime::IsOfParent()) {
    Warn("%sa task was submitted without a successful starpu_init()", Where(site).c_str());
    return -ENODEV;
  }
  if (!task) {
    Warn("%sstarpu_task_submit(NULL)", Where(site).c_str());
    return -EINVAL;
  }
  if (const int error = CheckTask(*runtime, task, site)) return error;
  Job* job = ExistingJob(task);
  bool again = false;
  if (!job) {
    job = TryJobOf(task);
    if (!job) return -ENOMEM;
  } else if (const JobState state = StateOf(job); state == JobState::kSubmitted) {
    return Refuse(task, site, -EINVAL, "it is submitted already and has not ended");
  } else if (state == JobState::kEnding && job->ending_on.load() == &ThisThread()) {
    job->submit_again = true;
    return 0;
  } else if (state != JobState::kNew) {
    WaitForJob(job);
    Recycle(job, JobState::kNew);
    again = true;
  }
  const unsigned context = ContextOf(*task);
  if (context && !runtime->contexts().IsThere(context)) {
    return Refuse(task, site, -EINVAL, "there is no scheduling context of the number in sched_ctx");
  }
  job->context = static_cast<uint8_t>(context);
  if (HasWork(*task)) {
    FollowTask(*runtime, job);
    if (!ChooseWorkers(job)) {
      return Refuse(task, site, -ENODEV,
                    runtime->simulation() ? "no worker can run it: a simulation needs a "
                                            "performance model that knows its size"
                                          : "no worker can run it");
    }
  }
  Throttle(*runtime);
  const ProgramPolicy* const policy = runtime->program_policy(context);
  const trace::Submitting submitting(/*early=*/policy != nullptr);
  SubmittedAt(job, site.file ? site : ThisThread().call);
  job->type = static_cast<uint8_t>(task->type & kTypeAcquire);
  job->data_granted = ordering == Ordering::kNoDependencies;
  if (task->cl) CollectAccesses(job, ordering);
  if (runtime->settings.profiling.load(std::memory_order_relaxed)) ProfileSubmission(task);
  LimitPriority(*runtime, task);
  if (runtime->perf_counters().on()) runtime->perf_counters().Submitted(job);
  if (policy) policy->Submitted(task);
  const bool synchronous = task->synchronous;
  const bool destroy = task->destroy;
  SetSubmitted(job, again);
  SubmitJob(job);
  if (synchronous) {
    WaitForJob(job);
    if (destroy) starpu_task_destroy(task);
  }
  return 0;
}

void SubmitAgain(Job* job) {
  Recycle(job, JobState::kSubmitted);
  const Ordering ordering = job->data_granted ? Ordering::kNoDependencies : Ordering::kFull;
  if (job->task->cl) CollectAccesses(job, ordering);
  SubmitJob(job);
}

void WaitForJob(Job* job) {
  constexpr int kSpins = 200;
  for (int i = 0; i < kSpins; ++i) {
    if (StateOf(job) == JobState::kEnded) return;
    CpuRelax();
  }
  Runtime::Get("starpu_task_wait").DoSchedule();
  for (;;) {
    const uint32_t state = job->state.fetch_or(kJobWaited, std::memory_order_acq_rel) | kJobWaited;
    if ((state & ~kJobFlags) == static_cast<uint32_t>(JobState::kEnded)) break;
    FutexWait(job->state, state);
  }
}

}  // namespace tasklens::runtime
