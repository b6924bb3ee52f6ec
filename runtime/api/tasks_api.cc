// SPDX-License-Identifier: Apache-2.0
// Functions on tasks: create, submit, wait, destroy, add dependencies.
#include <starpu.h>

#include <algorithm>
#include <cerrno>

#include "runtime/api/called_at.h"
#include "runtime/core/program_policy.h"
#include "runtime/core/program_tasks.h"
#include "runtime/core/runtime.h"
#include "runtime/core/specific_nodes.h"
#include "runtime/core/submit.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/arguments.h"
#include "runtime/support/message.h"

// The macros of the same names must not apply to these definitions.
#undef starpu_task_submit
#undef starpu_task_submit_nodeps
#undef starpu_task_submit_to_ctx

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

int WaitForLeft(const char* function, uint64_t left) {
  Runtime& runtime = Runtime::Get(function);
  if (ThisThread().current) return -EDEADLK;
  trace::Waiting waiting(tasklens::StateKind::kWaitingAllTasks);
  runtime.WaitForOutstanding(left);
  return 0;
}

}  // namespace

extern "C" {

void starpu_task_init(starpu_task* task) { InitTask(task); }

starpu_task* starpu_task_create(void) {
  Job* const job = TryNewJob(/*with_task=*/true);
  return job ? job->task : nullptr;
}

starpu_task* starpu_task_create_sync(starpu_data_handle_t handle, starpu_data_access_mode mode) {
  return NewSyncTask(handle, mode);
}

void starpu_task_clean(starpu_task* task) { CleanTask(task); }

void starpu_task_destroy(starpu_task* task) { DiscardTask(task); }

starpu_task* starpu_task_dup(starpu_task* task) { return DuplicateTask(task); }

void starpu_task_set_destroy(starpu_task* task) { GiveTaskUp(task); }

int _starpu_task_submit_at(const char* file, int line, const char* function, starpu_task* task) {
  return SubmitTask(task, SiteOf(file, line, function));
}
int _starpu_task_submit_nodeps_at(const char* file, int line, const char* function,
                                  starpu_task* task) {
  return SubmitTask(task, SiteOf(file, line, function), Ordering::kNoDependencies);
}
int _starpu_task_submit_to_ctx_at(const char* file, int line, const char* function,
                                  starpu_task* task, unsigned sched_ctx_id) {
  task->sched_ctx = sched_ctx_id;
  return SubmitTask(task, SiteOf(file, line, function));
}
int starpu_task_submit(starpu_task* task) { return SubmitTask(task, {}); }
int starpu_task_submit_nodeps(starpu_task* task) {
  return SubmitTask(task, {}, Ordering::kNoDependencies);
}
int starpu_task_submit_to_ctx(starpu_task* task, unsigned sched_ctx_id) {
  return _starpu_task_submit_to_ctx_at(nullptr, 0, nullptr, task, sched_ctx_id);
}
int starpu_task_submit_line(starpu_task* task, const char* file, int line) {
  return SubmitTask(task, SiteOf(file, line, nullptr));
}

int starpu_task_finished(starpu_task* task) { return HasEnded(task); }

int starpu_task_wait(starpu_task* task) { return WaitForTask(task); }

int starpu_task_wait_array(starpu_task** tasks, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (const int error = WaitForTask(tasks[i])) return error;
  }
  return 0;
}

int starpu_task_wait_for_all(void) { return WaitForLeft(__func__, 0); }
int starpu_task_wait_for_n_submitted(unsigned n) { return WaitForLeft(__func__, n); }
int starpu_task_wait_for_all_in_ctx(unsigned context) {
  return starpu_task_wait_for_n_submitted_in_ctx(context, 0);
}
int starpu_task_wait_for_n_submitted_in_ctx(unsigned context, unsigned n) {
  if (context == 0) return starpu_task_wait_for_n_submitted(n);
  Runtime& runtime = Runtime::Get(__func__);
  if (ThisThread().current) return -EDEADLK;
  trace::Waiting waiting(tasklens::StateKind::kWaitingAllTasks);
  return runtime.contexts().WaitForLeft(runtime, context, n);
}
int starpu_task_wait_for_no_ready(void) {
  Runtime& runtime = Runtime::Get(__func__);
  if (ThisThread().current) return -EDEADLK;
  WaitForNoReady(runtime);
  return 0;
}

int starpu_task_nsubmitted(void) {
  return static_cast<int>(Runtime::Get(__func__).job_counts().Outstanding());
}
int starpu_task_nready(void) { return static_cast<int>(CountReady(Runtime::Get(__func__))); }

starpu_task* starpu_task_get_current(void) {
  const Job* job = ThisThread().current;
  return job ? job->task : nullptr;
}
int starpu_task_get_current_data_node(unsigned i) {
  const Job* const job = ThisThread().current;
  if (!job || !ThisThread().worker || i >= BufferCount(*job->task)) return -1;
  if (job->placement) return job->placement->nodes[i];
  if (job->task->cl->specific_nodes) return kNoNode;  // the task is not running
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
  DeclareDependencies(task, count, deps);
}
void starpu_task_declare_deps(starpu_task* task, unsigned count, ...) {
  WITH_ARGS_AFTER(count, const auto deps = ReadArgs<starpu_task*>(count, args));
  DeclareDependencies(task, count, deps.data());
}
void starpu_task_declare_end_deps_array(starpu_task* task, unsigned count, starpu_task* deps[]) {
  DeclareEndDependencies(task, count, deps);
}
void starpu_task_declare_end_deps(starpu_task* task, unsigned count, ...) {
  WITH_ARGS_AFTER(count, const auto deps = ReadArgs<starpu_task*>(count, args));
  DeclareEndDependencies(task, count, deps.data());
}
void starpu_task_end_dep_add(starpu_task* task, int count) {
  JobOf(task)->end_pending.fetch_add(count);
}
void starpu_task_end_dep_release(starpu_task* task) {
  ReleaseEndDependency(Runtime::Get(__func__), task);
}

int starpu_task_get_task_succs(starpu_task* task, unsigned count, starpu_task* tasks[]) {
  return SuccessorsOf(task, count, tasks);
}
int starpu_task_get_task_scheduled_succs(starpu_task* task, unsigned count, starpu_task* tasks[]) {
  return ScheduledSuccessorsOf(task, count, tasks);
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
  Runtime::Get(__func__).iterations.Push(static_cast<int64_t>(iteration));
}
void starpu_iteration_pop(void) {
  if (!Runtime::Get(__func__).iterations.Pop())
    Fatal("starpu_iteration_pop() without starpu_iteration_push()");
}

void starpu_do_schedule(void) { Runtime::Get(__func__).DoSchedule(); }
void starpu_reset_scheduler(void) {
  if (ProgramPolicy* policy = Runtime::Get(__func__).program_policy(0)) policy->Reset();
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
  Runtime::Get(__func__).settings.limit_max_submitted = static_cast<uint64_t>(std::max(0, limit));
}
void starpu_set_limit_min_submitted_tasks(int limit) {
  Runtime::Get(__func__).settings.limit_min_submitted = static_cast<uint64_t>(std::max(0, limit));
}

}  // extern "C"
