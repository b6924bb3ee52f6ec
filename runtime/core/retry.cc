// SPDX-License-Identifier: Apache-2.0
// starpu_task_ft_*(): tasks that are tried again until they succeed.
//
// The task itself has its data, is ordered among the others, and does not run: its tries do, copies
// without an order of their own. It ends when its prologue has returned, so that nothing touches it
// any more, and a try has succeeded, whichever comes last.
#include <starpu.h>

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

// Of a task that is tried, as its job's `control`.
struct Tries {
  std::atomic<int> left{2};  // until it ends: the prologue's return, and a success
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

// The task that this thread is at: `function` makes sense within one only.
starpu_task* Current(const char* function) {
  const Job* const job = ThisThread().current;
  if (!job) Fatal("%s() is only for the inside of a task or its callbacks", function);
  return job->task;
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

// What the prologue does where the program has no function of its own.
void TryUntilItSucceeds(void* argument) {
  auto* const meta = static_cast<starpu_task*>(argument);
  const starpu_task* const tried = Current("the end of a try");
  if (!tried->failed) return starpu_task_ft_success(meta);
  starpu_task* const next = starpu_task_ft_create_retry(meta, tried, TryUntilItSucceeds);
  if (SubmitTask(next, {}, Ordering::kNoDependencies))
    Fatal("a try of task '%s' was not accepted", NameOf(*meta));
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_task_ft_prologue(void* check_ft) {
  starpu_task* const meta = Current("starpu_task_ft_prologue");
  auto* const check = check_ft ? reinterpret_cast<void (*)(void*)>(check_ft) : TryUntilItSucceeds;
  starpu_task* const first = starpu_task_ft_create_retry(meta, meta, check);
  if (SubmitTask(first, {}, Ordering::kNoDependencies))
    Fatal("a try of task '%s' was not accepted", NameOf(*meta));
}

starpu_task* starpu_task_ft_create_retry(const starpu_task* meta_task,
                                         const starpu_task* template_task,
                                         void (*check_ft)(void*)) {
  MustNotChangeItsInput(*template_task);
  Job* const meta = ExistingJob(meta_task);
  if (!meta->control) {
    meta->control = new Tries;
    meta->on_ready = CountDown;
  }
  starpu_task* const task = starpu_task_create();
  if (!task) Fatal("no memory for a try of task '%s'", NameOf(*meta_task));
  void* const own = task->starpu_private;
  *task = *template_task;
  task->starpu_private = own;
  const unsigned count = BufferCount(*task);
  task->dyn_handles = Copied(task->dyn_handles, count);
  task->dyn_modes = Copied(task->dyn_modes, count);
  task->dyn_interfaces = nullptr;
  task->handles_sequential_consistency = nullptr;
  // Its arguments are the task's, which outlives it.
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
  // The task itself is in the bundle and in the epoch.
  task->bundle = nullptr;
  task->transaction = nullptr;
  task->trs_epoch = nullptr;
  task->profiling_info = nullptr;
  task->prev = task->next = nullptr;
  task->status = static_cast<starpu_task_status>(STARPU_TASK_INIT);
  return task;
}

void starpu_task_ft_failed(starpu_task* task) {
  MustNotChangeItsInput(*task);
  task->failed = 1;
}

void starpu_task_ft_success(starpu_task* meta_task) {
  Job* const job = ExistingJob(meta_task);
  if (!job || job->on_ready != CountDown)
    Fatal("starpu_task_ft_success(): task '%s' has no starpu_task_ft_prologue as its prologue",
          NameOf(*meta_task));
  if (const Job* const tried = ThisThread().current)
    tasklens::Record<tasklens::EventKind::kTaskEndDep>(tried->id.load(), job->id.load());
  CountDown(job);
  Runtime::Get("starpu_task_ft_success").CheckWaiters();
}

}  // extern "C"
