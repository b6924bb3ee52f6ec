// SPDX-License-Identifier: Apache-2.0
// Submission, start, end.
#include "runtime/core/lifecycle.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "runtime/core/arbitration.h"
#include "runtime/core/bound.h"
#include "runtime/core/bundle.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/ordering.h"
#include "runtime/core/runtime.h"
#include "runtime/core/specific_nodes.h"
#include "runtime/core/submit.h"
#include "runtime/core/tags.h"
#include "runtime/core/task_times.h"
#include "runtime/core/trace_points.h"
#include "runtime/core/transaction.h"
#include "runtime/core/watched_context.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/dependencies.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {
namespace {

static_assert(static_cast<uint32_t>(JobState::kSubmitted) + 1 ==
              static_cast<uint32_t>(JobState::kEnding));

Runtime& Instance() { return *Runtime::Instance(); }

void CallBackSlow(Job* job, void (*function)(void*), void* argument) {
  ThreadState& thread = ThisThread();
  Job* const before = thread.current;
  thread.current = job;
  {
    std::optional<Doing> doing;
    if (thread.worker)
      doing.emplace(thread.worker->activity, thread.worker->activity.CallbackNow());
    trace::Within within(StateKind::kCallback);
    function(argument);
  }
  thread.current = before;
}
// Runs a callback of the program, if any, on behalf of a job.
inline void CallBack(Job* job, void (*function)(void*), void* argument) {
  if (function) [[unlikely]]
    CallBackSlow(job, function, argument);
}

// The data are acquired: gives the job to the scheduler, or ends it.
void Dispatch(Job* job) {
  starpu_task* task = job->task;
  if (job->counted_as != Counted::kNot) Instance().perf_counters().Ready(job);
  CallBack(job, task->prologue_callback_func, task->prologue_callback_arg);
  if (job->on_ready) {
    job->on_ready(job);
  } else if (HasWork(*task) && !IsCancelled(job)) {
    Instance().Schedule(job);
  } else {
    if (job->counted_as != Counted::kNot) Instance().perf_counters().Taken(job);
    // No worker takes the job, so the callback for that moment runs here.
    CallBack(job, task->prologue_callback_pop_func, task->prologue_callback_pop_arg);
    if (task->cl && task->cl->specific_nodes && !IsCancelled(job)) [[unlikely]]
      PutData(Instance(), *task);
    FunctionEnded(job);
  }
}

void Process(Job* job) {
  if (!job->data_granted) {
    while (job->next_access < job->accesses.size()) {
      Access& access = job->accesses[job->next_access];
      if (IsArbitered(access)) {
        job->has_arbitered = true;
      } else if (!AcquireAccess(job, access)) {
        return;
      }
      ++job->next_access;
    }
    if (job->has_arbitered && !AcquireArbitered(job)) return;
  }
  Dispatch(job);
}

void Drain(ThreadState& thread) {
  while (Job* job = thread.ready_head) {
    thread.ready_head = job->next;
    if (!thread.ready_head) thread.ready_tail = nullptr;
    job->next = nullptr;
    Process(job);
  }
}

// Ends a job that only its owner still refers to.
void Finish(Job* job) {
  Runtime& runtime = Instance();
  const uint32_t slot = ThisThread().counter_slot;
  const bool counted = job->counted;
  const uint8_t context = job->context;
  starpu_task* task = job->task;
  if (job->on_end) job->on_end(job);
  if (task->regenerate || job->submit_again) {
    SubmitAgain(job);
  } else if (task->detach && !task->synchronous && task->destroy) {
    DestroyTask(task, job);
  } else if (ChangeState(job, JobState::kEnded) & kJobGivenUp) {
    DestroyTask(task, job);
  }  // else the owner may free the job once it sees the state; its memory (the futex) stays
  if (context) runtime.contexts().Ended(runtime, context);
  if (counted) runtime.job_counts().Ended(slot);
}

void EndJob(Job* job) {
  ThreadState& thread = ThisThread();
  starpu_task* task = job->task;
  if (!task->destroy) {  // from now on the program may submit the task again
    job->ending_on.store(&thread, std::memory_order_relaxed);
    job->state.fetch_add(1);
  }
  const bool outermost = !thread.draining;
  thread.draining = true;
  CallBack(job, task->epilogue_callback_func, task->epilogue_callback_arg);
  task->status = STARPU_TASK_FINISHED;
  void (*callback)(void*) = task->callback_func;
  if (!callback && task->cl) callback = task->cl->callback_func;
  // (A callback still belongs to the end of this job.)
  const bool goes_on = thread.worker && thread.worker->ends == job && !callback;
  if (goes_on && trace::DoneToSchedule(job)) {
    thread.worker->ends = nullptr;
  } else {
    trace::Done(job);
  }
  if (task->use_tag && !(job->type & kTypeInternal)) Instance().tags().Done(task->tag_id);
  if (task->bundle) task->bundle->Remove(task);
  ReleaseSuccessors(
      job, [](Job* successor) { ReleaseStart(successor); },
      [](Job* successor) { ReleaseEnd(successor); });
  // Successors go to the scheduler before the callback runs.
  if (outermost) {
    Drain(thread);
    thread.draining = false;
  }
  ProfileMoment(task, &starpu_profiling_task_info::callback_start_time);
  CallBack(job, callback, task->callback_arg);
  ProfileMoment(task, &starpu_profiling_task_info::callback_end_time);
  Finish(job);
}

}  // namespace

// The job looks as if it had not been submitted yet, under a new id.
void Recycle(Job* job, JobState next) {
  {
    MutexLock guard(job->lock);
    job->id.store(0, std::memory_order_relaxed);
    job->done.store(false, std::memory_order_release);
    job->successors.clear();
  }
  job->pending.store(1, std::memory_order_relaxed);
  job->end_pending.store(1, std::memory_order_relaxed);
  job->submit_again = false;
  job->has_arbitered = false;
  job->together = false;
  job->ending_on.store(nullptr, std::memory_order_relaxed);
  // Threads that sleep on the state go on waiting, for the end of the new submission.
  ChangeState(job, next);
  job->accesses.clear();
  job->next_access = 0;
  EnsureId(job);
}

void CountIn(Job* job) {
  job->counted = true;
  Instance().job_counts().Submitted(ThisThread().counter_slot);
}

void CountOut(Job* job) {
  if (!job->counted) return;
  job->counted = false;
  Instance().job_counts().Ended(ThisThread().counter_slot);
}

void SubmitJob(Job* job) {
  Runtime& runtime = Instance();
  starpu_task* task = job->task;
  EnsureId(job);
  job->submit_order =
      task->no_submitorder ? 0 : runtime.next_submit_order.fetch_add(1, std::memory_order_relaxed);
  task->status = STARPU_TASK_BLOCKED;
  CountIn(job);
  if (job->context) runtime.contexts().Submitted(job->context);
  trace::Submit(job);
  if (Bound::On()) Bound::Submitted(job);
  if (task->use_tag && !(job->type & kTypeInternal)) runtime.tags().Attach(job);
  if (job->context) TellSubmitted(*runtime.contexts().Find(job->context), job);
  if (!job->accesses.empty()) OrderAccesses(job);
  if (job->lasting) WaitForLasting(job);
  ReleaseStart(job);
}

void SubmitInternal(Job* job) {
  EnsureId(job);
  job->state.store(static_cast<uint32_t>(JobState::kSubmitted), std::memory_order_relaxed);
  job->task->status = STARPU_TASK_BLOCKED;
  SubmittedAt(job, ThisThread().call);
  CountIn(job);
  trace::Submit(job);
  if (!job->accesses.empty()) OrderAccesses(job);
  ReleaseStart(job);
}

void ReleaseStart(Job* job) {
  if (MeetOne(job->pending)) Ready(job);
}

void ReleaseEnd(Job* job) {
  if (MeetOne(job->end_pending)) EndJob(job);
}

void Ready(Job* job) {
  ThreadState& thread = ThisThread();
  job->next = nullptr;
  (thread.ready_tail ? thread.ready_tail->next : thread.ready_head) = job;
  thread.ready_tail = job;
  if (thread.draining) return;
  thread.draining = true;
  Drain(thread);
  thread.draining = false;
  if (!thread.worker) Instance().job_counts().CheckWaiters();
}

StartsLater::StartsLater() : outermost_(!std::exchange(ThisThread().draining, true)) {}
StartsLater::~StartsLater() {
  if (!outermost_) return;
  ThreadState& thread = ThisThread();
  const bool any = thread.ready_head;
  Drain(thread);
  thread.draining = false;
  if (any && !thread.worker) Instance().job_counts().CheckWaiters();
}

void LetQueuedGoOn() {
  ThreadState& thread = ThisThread();
  if (thread.ready_head) Drain(thread);
}

void FunctionEnded(Job* job) {
  ThreadState& thread = ThisThread();
  const bool outermost = !thread.draining;
  thread.draining = true;
  for (Access& access : job->accesses) {
    // Read first: the handle may be freed after ReleaseAccess() and LetGo().
    const bool unordered = !access.ordered || access.kind == AccessKind::kScratch;
    Handle* handle = access.handle;
    if (!job->data_granted) ReleaseAccess(access);
    if (unordered) LetGo(handle);
  }
  ProfileMoment(job->task, &starpu_profiling_task_info::release_data_end_time);
  thread.draining = !outermost;
  ReleaseEnd(job);
  if (outermost && thread.ready_head) {
    thread.draining = true;
    Drain(thread);
    thread.draining = false;
  }
  if (outermost && !thread.worker) Instance().job_counts().CheckWaiters();
}

void EndControlJob(Job* job) { FunctionEnded(job); }

}  // namespace tasklens::runtime
