// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/program_tasks.h"

#include <cerrno>

#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/dependencies.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// Whether this thread is just ending the job.
bool EndsHere(const Job* job) { return job->ending_on.load() == &ThisThread(); }

// Returns the job of a task that is not submitted yet, so that conditions may be added.
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

// Writes at most `count` of the successors for which wanted() holds to `tasks`, and returns how
// many there are.
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
  // Once the job is done its successors are released, and may be freed or reused.
  if (!job->done.load(std::memory_order_relaxed)) {
    for (const uintptr_t entry : job->successors) {
      add(reinterpret_cast<const Job*>(entry & ~uintptr_t{1})->task);
    }
  }
  if (!job->lasting) return found;
  for (const LastingSuccessor& successor : job->lasting->successors) {
    if (!successor.IsGone()) add(successor.job->task);
  }
  return found;
}

}  // namespace

void CleanTask(starpu_task* task) {
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

void DiscardTask(starpu_task* task) {
  if (!task) return;
  Job* current = ThisThread().current;
  if (current && current->task == task) {
    task->destroy = 1;  // called by its callback: destroyed when that has returned
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

starpu_task* DuplicateTask(const starpu_task* task) {
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

void GiveTaskUp(starpu_task* task) {
  Job* job = ExistingJob(task);
  if (!job || StateOf(job) == JobState::kNew) {
    task->destroy = 1;
    return;
  }
  // If the task ends at this moment, one of the two threads sees the other's flag.
  const uint32_t before = job->state.fetch_or(kJobGivenUp) & ~kJobFlags;
  if (before == static_cast<uint32_t>(JobState::kEnded)) DiscardTask(task);
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
  if (task->destroy) DiscardTask(task);
  return 0;
}

bool HasEnded(const starpu_task* task) {
  const Job* job = ExistingJob(task);
  return job && StateOf(job) == JobState::kEnded;
}

void DeclareDependencies(starpu_task* task, unsigned count, starpu_task* const* deps) {
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

void DeclareEndDependencies(starpu_task* task, unsigned count, starpu_task* const* deps) {
  Job* job = JobOf(task);
  for (unsigned i = 0; i < count; ++i) {
    Job* before = JobOf(deps[i]);
    const JobRef ref{before, before->id.load(std::memory_order_relaxed)};
    AddEndDependency(ref, job);
    Record<EventKind::kTaskEndDep>(ref.id, job->id.load(std::memory_order_relaxed));
  }
}

void ReleaseEndDependency(Runtime& runtime, starpu_task* task) {
  Job* job = JobOf(task);
  if (const Job* current = ThisThread().current) {
    Record<EventKind::kTaskEndDep>(current->id.load(), job->id.load());
  }
  ReleaseEnd(job);
  runtime.job_counts().CheckWaiters();
}

int SuccessorsOf(starpu_task* task, unsigned count, starpu_task* tasks[]) {
  return Successors(task, count, tasks, [](const starpu_task*) { return true; });
}
int ScheduledSuccessorsOf(starpu_task* task, unsigned count, starpu_task* tasks[]) {
  return Successors(task, count, tasks, [](const starpu_task* successor) {
    return HasWork(*successor) && !successor->execute_on_a_specific_worker;
  });
}

uint64_t CountReady(Runtime& runtime) {
  uint64_t taken = 0;
  for (const auto& worker : runtime.workers()) taken += worker->taken.load();
  return runtime.job_counts().Scheduled() - taken;
}

void WaitForNoReady(Runtime& runtime) {
  for (;;) {
    const uint64_t ended = runtime.job_counts().Ended();
    if (CountReady(runtime) == 0) return;
    // Wait for one end only: the ready job will end, but other jobs may be waiting for the program.
    runtime.WaitForEnd(ended);
  }
}

starpu_task* NewSyncTask(starpu_data_handle_t handle, starpu_data_access_mode mode) {
  static starpu_codelet read = {.where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_R}};
  static starpu_codelet write = {.where = STARPU_NOWHERE, .nbuffers = 1, .modes = {STARPU_RW}};
  starpu_task* task = NewJob(/*with_task=*/true)->task;
  task->name = "sync";
  task->cl = mode == STARPU_R ? &read : &write;
  task->handles[0] = handle;
  return task;
}

}  // namespace tasklens::runtime
