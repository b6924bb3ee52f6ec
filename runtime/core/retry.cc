// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/retry.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/core/trace_points.h"
#include "runtime/feedback/counters.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// The state of a task that is tried: `control` of its job.
struct Tries {
  // Conditions for its end: the prologue has returned, a try has succeeded.
  std::atomic<int> left{2};
};

void CountDown(Job* job) {
  auto* const tries = static_cast<Tries*>(job->control);
  if (tries->left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  delete tries;
  job->control = nullptr;
  job->on_ready = nullptr;
  if (job->counted_as != Counted::kNot) Runtime::Instance()->perf_counters().Taken(job);
  EndControlJob(job);
}

template <class T>
T* Copied(const T* array, unsigned count) {
  if (!array) return nullptr;
  auto* const copy = static_cast<T*>(malloc(count * sizeof(T)));
  if (!copy) Fatal("no memory for the %u buffers of a task", count);
  memcpy(copy, array, count * sizeof(T));
  return copy;
}

void MustNotChangeItsInput(const starpu_task& task) {
  for (unsigned i = 0; i < BufferCount(task); ++i) {
    const unsigned mode = BufferMode(task, i);
    if (mode == STARPU_R || mode == STARPU_W) continue;
    Fatal(
        "task '%s' cannot be tried again: its access %u is neither STARPU_R nor STARPU_W, so that "
        "a try that failed may have changed what the next one reads",
        NameOf(task), i);
  }
}

}  // namespace

starpu_task* TaskHere(const char* function) {
  const Job* const job = ThisThread().current;
  if (!job) Fatal("%s() is only for the inside of a task or its callbacks", function);
  return job->task;
}

starpu_task* CreateTry(const starpu_task* meta_task, const starpu_task* like,
                       void (*check_ft)(void*)) {
  MustNotChangeItsInput(*like);
  Job* const meta = ExistingJob(meta_task);
  if (!meta->control) {
    meta->control = new Tries;
    meta->on_ready = CountDown;
  }
  starpu_task* const task = starpu_task_create();
  if (!task) Fatal("no memory for a try of task '%s'", NameOf(*meta_task));
  void* const own = task->starpu_private;
  *task = *like;
  task->starpu_private = own;
  const unsigned count = BufferCount(*task);
  task->dyn_handles = Copied(task->dyn_handles, count);
  task->dyn_modes = Copied(task->dyn_modes, count);
  task->dyn_interfaces = nullptr;
  task->handles_sequential_consistency = nullptr;
  // The try uses the arguments of the task, which outlives it.
  task->cl_arg_free = task->cl_ret_free = 0;
  task->callback_func = check_ft;
  task->callback_arg = meta->task;
  task->epilogue_callback_func = task->prologue_callback_func = nullptr;
  task->epilogue_callback_arg = task->prologue_callback_arg = nullptr;
  task->callback_arg_free = task->epilogue_callback_arg_free = task->prologue_callback_arg_free = 0;
  task->prologue_callback_pop_arg_free = 0;
  task->use_tag = task->synchronous = task->regenerate = 0;
  task->detach = task->destroy = task->no_submitorder = 1;
  task->failed = 0;
  // Only the task itself is in its bundle and its epoch.
  task->bundle = nullptr;
  task->transaction = nullptr;
  task->trs_epoch = nullptr;
  task->profiling_info = nullptr;
  task->prev = task->next = nullptr;
  task->status = static_cast<starpu_task_status>(STARPU_TASK_INIT);
  return task;
}

void SubmitTry(const starpu_task* meta_task, const starpu_task* like, void (*check)(void*)) {
  if (SubmitTask(CreateTry(meta_task, like, check), {}, Ordering::kNoDependencies))
    Fatal("a try of task '%s' was not accepted", NameOf(*meta_task));
}

void TryUntilItSucceeds(void* argument) {
  auto* const meta = static_cast<starpu_task*>(argument);
  const starpu_task* const tried = TaskHere("the end of a try");
  if (!tried->failed) return SucceedTry(meta);
  SubmitTry(meta, tried, TryUntilItSucceeds);
}

void FailTry(starpu_task& task) {
  MustNotChangeItsInput(task);
  task.failed = 1;
}

void SucceedTry(const starpu_task* meta_task) {
  Job* const job = ExistingJob(meta_task);
  if (!job || job->on_ready != CountDown)
    Fatal("starpu_task_ft_success(): task '%s' has no starpu_task_ft_prologue as its prologue",
          NameOf(*meta_task));
  if (const Job* const tried = ThisThread().current)
    Record<EventKind::kTaskEndDep>(tried->id.load(), job->id.load());
  CountDown(job);
  Runtime::Instance()->job_counts().CheckWaiters();
}

}  // namespace tasklens::runtime
