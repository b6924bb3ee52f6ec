// SPDX-License-Identifier: Apache-2.0
// The public functions about tasks: make, submit, wait, destroy, depend.
#include <starpu.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"
#include "runtime/data/ordering.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

// Here the functions themselves are defined.
#undef starpu_task_submit
#undef starpu_task_submit_nodeps
#undef starpu_task_submit_to_ctx

namespace tasklens::runtime {
namespace {

Site CallSiteOf(const char* file, int line, const char* function) {
  return {file, function, static_cast<uint32_t>(line)};
}

// Whether this thread is in the middle of the job's end.
bool EndsHere(const Job* job) { return job->ending_on.load() == &ThisThread(); }

// The job of a task that is still to be submitted, to which conditions may be added.
Job* UnsubmittedJob(starpu_task* task, const char* function) {
  Job* job = JobOf(task);
  // One that is at its end on another thread will be there soon.
  if (StateOf(job) == JobState::kEnding && !EndsHere(job)) WaitForJob(job);
  if (StateOf(job) == JobState::kEnded) Recycle(job, JobState::kNew);
  if (StateOf(job) != JobState::kNew) {
    Fatal("%s(): task '%s' is submitted already", function, NameOf(*task));
  }
  return job;
}

int WaitForTask(starpu_task* task) {
  if (!task || task->detach || task->synchronous) {
    Warn("starpu_task_wait() is only for tasks with detach 0 that are not synchronous");
    return -EINVAL;
  }
  if (ThisThread().current) return -EDEADLK;
  Job* job = ExistingJob(task);
  if (!job || StateOf(job) == JobState::kNew) {
    Warn("starpu_task_wait(): task '%s' was never submitted", NameOf(*task));
    return -EINVAL;
  }
  {
    trace::Waiting waiting(StateKind::kWaitingTask);
    WaitForJob(job);
  }
  if (task->destroy) starpu_task_destroy(task);
  return 0;
}

int WaitForLeft(const char* function, uint64_t left) {
  Runtime& runtime = Runtime::Get(function);
  if (ThisThread().current) return -EDEADLK;
  trace::Waiting waiting(StateKind::kWaitingAllTasks);
  runtime.WaitForOutstanding(left);
  return 0;
}

void DeclareDeps(starpu_task* task, unsigned count, starpu_task* const* deps) {
  Job* job = UnsubmittedJob(task, "starpu_task_declare_deps");
  trace::Dependencies dependencies(job);
  for (unsigned i = 0; i < count; ++i) {
    if (deps[i] == task) Fatal("task '%s' was declared to depend on itself", NameOf(*task));
    Job* before = JobOf(deps[i]);
    const JobRef ref{before, before->id.load(std::memory_order_relaxed)};
    const bool lasts = !task->destroy && !deps[i]->destroy;
    const bool alive = lasts ? AddLastingDependency(before, job) : AddDependency(ref, job);
    dependencies.Add(ref.id, alive ? trace::kDepTask : trace::kDepGhost);
  }
}

void DeclareEndDeps(starpu_task* task, unsigned count, starpu_task* const* deps) {
  Job* job = JobOf(task);
  for (unsigned i = 0; i < count; ++i) {
    Job* before = JobOf(deps[i]);
    const JobRef ref{before, before->id.load(std::memory_order_relaxed)};
    AddEndDependency(ref, job);
    Record<EventKind::kTaskEndDep>(ref.id, job->id.load(std::memory_order_relaxed));
  }
}

std::vector<starpu_task*> Tasks(unsigned count, va_list args) {
  std::vector<starpu_task*> tasks(count);
  for (starpu_task*& task : tasks) task = va_arg(args, starpu_task*);
  return tasks;
}

// Fills at most `count` of the successors that are wanted, and returns how many there are.
template <class Wanted>
int Successors(starpu_task* task, unsigned count, starpu_task* tasks[], Wanted wanted) {
  Job* job = JobOf(task);
  MutexLock guard(job->lock);
  int found = 0;
  const auto add = [&](starpu_task* successor) {
    if (!wanted(successor)) return;
    if (static_cast<unsigned>(found) < count) tasks[found] = successor;
    ++found;
  };
  for (const uintptr_t entry : job->successors) {
    add(reinterpret_cast<const Job*>(entry & ~uintptr_t{1})->task);
  }
  if (!job->lasting) return found;
  for (const LastingSuccessor& successor : job->lasting->successors) {
    if (!successor.IsGone()) add(successor.job->task);
  }
  return found;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_task_init(starpu_task* task) { InitTask(task); }

starpu_task* starpu_task_create(void) {
  Job* const job = TryNewJob(/*with_task=*/true);
  return job ? job->task : nullptr;
}

starpu_task* starpu_task_create_sync(starpu_data_handle_t handle, starpu_data_access_mode mode) {
  static starpu_codelet read = {.where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_R}};
  static starpu_codelet write = {.where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_RW}};
  starpu_task* task = starpu_task_create();
  task->name = "sync";
  task->cl = mode == STARPU_R ? &read : &write;
  task->handles[0] = handle;
  return task;
}

void starpu_task_clean(starpu_task* task) {
  Job* job = ExistingJob(task);
  // One that is at its end on another thread will be there soon.
  if (job && StateOf(job) == JobState::kEnding && !EndsHere(job)) WaitForJob(job);
  const bool is_at_rest =
      !job || StateOf(job) == JobState::kNew || StateOf(job) == JobState::kEnded;
  if (is_at_rest || !job->OwnsTask())
    LeaveTaskToProgram(task, job);
  else
    FreeTaskBelongings(task, job);
}

void starpu_task_destroy(starpu_task* task) {
  if (!task) return;
  Job* current = ThisThread().current;
  if (current && current->task == task) {
    task->destroy = 1;  // its callback asks: it is destroyed when the callback has returned
    return;
  }
  Job* job = ExistingJob(task);
  if (job && StateOf(job) == JobState::kEnding) {
    if (EndsHere(job)) {
      task->destroy = 1;
      return;
    }
    WaitForJob(job);
  }
  if (job && StateOf(job) == JobState::kSubmitted) {
    Fatal("starpu_task_destroy(): task '%s' has not ended", NameOf(*task));
  }
  DestroyTask(task, job);
}

starpu_task* starpu_task_dup(starpu_task* task) {
  Job* job = NewJob(/*with_task=*/true);
  *job->task = *task;
  job->task->starpu_private = job;
  job->task->profiling_info = nullptr;
  if (const Job* of = ExistingJob(task); of && of->together) {
    job->team = of->team;
    job->together = true;
  }
  return job->task;
}

void starpu_task_set_destroy(starpu_task* task) {
  Job* job = ExistingJob(task);
  if (!job || StateOf(job) == JobState::kNew) {
    task->destroy = 1;
    return;
  }
  // It may end at this moment; then one of the two sees the other.
  const uint32_t before = job->state.fetch_or(kJobGivenUp) & ~kJobFlags;
  if (before == static_cast<uint32_t>(JobState::kEnded)) starpu_task_destroy(task);
}

int _starpu_task_submit_at(const char* file, int line, const char* function, starpu_task* task) {
  return SubmitTask(task, CallSiteOf(file, line, function));
}
int _starpu_task_submit_nodeps_at(const char* file, int line, const char* function,
                                  starpu_task* task) {
  return SubmitTask(task, CallSiteOf(file, line, function), Ordering::kNoDependencies);
}
int _starpu_task_submit_to_ctx_at(const char* file, int line, const char* function,
                                  starpu_task* task, unsigned sched_ctx_id) {
  task->sched_ctx = sched_ctx_id;
  return SubmitTask(task, CallSiteOf(file, line, function));
}
int starpu_task_submit(starpu_task* task) { return SubmitTask(task, {}); }
int starpu_task_submit_nodeps(starpu_task* task) {
  return SubmitTask(task, {}, Ordering::kNoDependencies);
}
int starpu_task_submit_to_ctx(starpu_task* task, unsigned sched_ctx_id) {
  return _starpu_task_submit_to_ctx_at(nullptr, 0, nullptr, task, sched_ctx_id);
}
int starpu_task_submit_line(starpu_task* task, const char* file, int line) {
  return SubmitTask(task, CallSiteOf(file, line, nullptr));
}

int starpu_task_finished(starpu_task* task) {
  const Job* job = ExistingJob(task);
  return job && StateOf(job) == JobState::kEnded;
}

int starpu_task_wait(starpu_task* task) { return WaitForTask(task); }

int starpu_task_wait_array(starpu_task** tasks, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (const int error = WaitForTask(tasks[i])) return error;
  }
  return 0;
}

int starpu_task_wait_for_all(void) { return WaitForLeft("starpu_task_wait_for_all", 0); }
int starpu_task_wait_for_n_submitted(unsigned n) {
  return WaitForLeft("starpu_task_wait_for_n_submitted", n);
}
int starpu_task_wait_for_all_in_ctx(unsigned context) {
  return starpu_task_wait_for_n_submitted_in_ctx(context, 0);
}
int starpu_task_wait_for_n_submitted_in_ctx(unsigned context, unsigned n) {
  if (context == 0) return starpu_task_wait_for_n_submitted(n);
  Runtime& runtime = Runtime::Get("starpu_task_wait_for_n_submitted_in_ctx");
  if (ThisThread().current) return -EDEADLK;
  trace::Waiting waiting(tasklens::StateKind::kWaitingAllTasks);
  return runtime.contexts().WaitForLeft(runtime, context, n);
}
int starpu_task_wait_for_no_ready(void) {
  Runtime& runtime = Runtime::Get("starpu_task_wait_for_no_ready");
  if (ThisThread().current) return -EDEADLK;
  for (;;) {
    const uint64_t ended = runtime.counters().Ended();
    if (starpu_task_nready() == 0) return 0;
    // That one at least has not ended by then; the others may wait for the program.
    runtime.WaitForEnd(ended);
  }
}

int starpu_task_nsubmitted(void) {
  return static_cast<int>(Runtime::Get("starpu_task_nsubmitted").counters().Outstanding());
}
int starpu_task_nready(void) {
  Runtime& runtime = Runtime::Get("starpu_task_nready");
  uint64_t taken = 0;
  for (const auto& worker : runtime.workers()) taken += worker->taken.load();
  return static_cast<int>(runtime.counters().Scheduled() - taken);
}

starpu_task* starpu_task_get_current(void) {
  const Job* job = ThisThread().current;
  return job ? job->task : nullptr;
}
int starpu_task_get_current_data_node(unsigned) {
  return static_cast<int>(starpu_worker_get_local_memory_node());
}

void starpu_task_set_implementation(starpu_task* task, unsigned implementation) {
  JobOf(task)->implementation = static_cast<uint8_t>(implementation);
}
unsigned starpu_task_get_implementation(starpu_task* task) { return JobOf(task)->implementation; }
unsigned long starpu_task_get_job_id(starpu_task* task) {
  const Job* job = ExistingJob(task);
  return job ? job->id.load(std::memory_order_relaxed) : 0;
}

void starpu_task_declare_deps_array(starpu_task* task, unsigned count, starpu_task* deps[]) {
  DeclareDeps(task, count, deps);
}
void starpu_task_declare_deps(starpu_task* task, unsigned count, ...) {
  va_list args;
  va_start(args, count);
  const std::vector<starpu_task*> deps = Tasks(count, args);
  va_end(args);
  DeclareDeps(task, count, deps.data());
}
void starpu_task_declare_end_deps_array(starpu_task* task, unsigned count, starpu_task* deps[]) {
  DeclareEndDeps(task, count, deps);
}
void starpu_task_declare_end_deps(starpu_task* task, unsigned count, ...) {
  va_list args;
  va_start(args, count);
  const std::vector<starpu_task*> deps = Tasks(count, args);
  va_end(args);
  DeclareEndDeps(task, count, deps.data());
}
void starpu_task_end_dep_add(starpu_task* task, int count) {
  JobOf(task)->end_pending.fetch_add(count);
}
void starpu_task_end_dep_release(starpu_task* task) {
  Job* job = JobOf(task);
  if (const Job* current = ThisThread().current) {
    tasklens::Record<tasklens::EventKind::kTaskEndDep>(current->id.load(), job->id.load());
  }
  ReleaseEnd(job);
  Runtime::Get("starpu_task_end_dep_release").CheckWaiters();
}

int starpu_task_get_task_succs(starpu_task* task, unsigned count, starpu_task* tasks[]) {
  return Successors(task, count, tasks, [](const starpu_task*) { return true; });
}
int starpu_task_get_task_scheduled_succs(starpu_task* task, unsigned count, starpu_task* tasks[]) {
  return Successors(task, count, tasks, [](const starpu_task* successor) {
    return HasWork(*successor) && !successor->execute_on_a_specific_worker;
  });
}

void starpu_create_sync_task(starpu_tag_t tag, unsigned count, starpu_tag_t* deps,
                             void (*callback)(void*), void* argument) {
  starpu_tag_declare_deps_array(tag, count, deps);
  starpu_task* task = starpu_task_create();
  task->use_tag = 1;
  task->tag_id = tag;
  task->callback_func = callback;
  task->callback_arg = argument;
  if (SubmitTask(task, {}) != 0) Fatal("starpu_create_sync_task(): the task was not accepted");
}

void starpu_create_callback_task(void (*callback)(void*), void* argument) {
  starpu_task* task = starpu_task_create();
  task->callback_func = callback;
  task->callback_arg = argument;
  if (SubmitTask(task, {}) != 0) Fatal("starpu_create_callback_task(): the task was not accepted");
}

void starpu_iteration_push(unsigned long iteration) {
  Runtime& runtime = Runtime::Get("starpu_iteration_push");
  const int depth = runtime.iteration_depth.fetch_add(1);
  if (depth < 2) runtime.iterations[depth].store(static_cast<int64_t>(iteration));
}
void starpu_iteration_pop(void) {
  Runtime& runtime = Runtime::Get("starpu_iteration_pop");
  const int depth = runtime.iteration_depth.fetch_sub(1) - 1;
  if (depth < 0) Fatal("starpu_iteration_pop() without starpu_iteration_push()");
  if (depth < 2) runtime.iterations[depth].store(-1);
}

void starpu_do_schedule(void) { Runtime::Get("starpu_do_schedule").DoSchedule(); }
void starpu_reset_scheduler(void) {
  if (ProgramPolicy* policy = Runtime::Get("starpu_reset_scheduler").program_policy(0))
    policy->Reset();
}

char* starpu_task_status_get_as_string(starpu_task_status status) {
  switch (static_cast<int>(status)) {
#define STATUS(name) \
  case name: return const_cast<char*>(#name)
    case STARPU_TASK_INIT:
      return const_cast<char*>("STARPU_TASK_INIT");
      STATUS(STARPU_TASK_BLOCKED);
      STATUS(STARPU_TASK_READY);
      STATUS(STARPU_TASK_RUNNING);
      STATUS(STARPU_TASK_FINISHED);
      STATUS(STARPU_TASK_BLOCKED_ON_TAG);
      STATUS(STARPU_TASK_BLOCKED_ON_TASK);
      STATUS(STARPU_TASK_BLOCKED_ON_DATA);
      STATUS(STARPU_TASK_STOPPED);
#undef STATUS
    default: return const_cast<char*>("STARPU_TASK_unknown_status");
  }
}
void starpu_set_limit_max_submitted_tasks(int limit) {
  Runtime::Get("starpu_set_limit_max_submitted_tasks").limit_max_submitted =
      static_cast<uint64_t>(std::max(0, limit));
}
void starpu_set_limit_min_submitted_tasks(int limit) {
  Runtime::Get("starpu_set_limit_min_submitted_tasks").limit_min_submitted =
      static_cast<uint64_t>(std::max(0, limit));
}

}  // extern "C"
