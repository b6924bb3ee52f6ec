// SPDX-License-Identifier: Apache-2.0
// Calls the functions of the policy.
#include "runtime/core/program_policy.h"

#include <vector>

#include "runtime/core/eligibility.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/core/worker_lock.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

using WorkersFunction = void (*)(unsigned, int*, unsigned);

void Tell(WorkersFunction function, unsigned context, std::span<const int> workers) {
  if (!function || workers.empty()) return;
  // A copy, as the interface lets the function write to it.
  std::vector<int> ids(workers.begin(), workers.end());
  function(context, ids.data(), static_cast<unsigned>(ids.size()));
}

}  // namespace

void ProgramPolicy::Begin(unsigned context) {
  context_ = context;
  if (functions_.init_sched) functions_.init_sched(context);
}

void ProgramPolicy::End() {
  if (functions_.deinit_sched) functions_.deinit_sched(context_);
}

void ProgramPolicy::AddWorkers(std::span<const int> workers) {
  Tell(functions_.add_workers, context_, workers);
}

void ProgramPolicy::RemoveWorkers(std::span<const int> workers) {
  Tell(functions_.remove_workers, context_, workers);
}

int ProgramPolicy::Push(Job* job, int /*from*/) {
  starpu_task* task = job->task;
  task->sched_ctx = context_;
  const char* const task_name = NameOf(*task);
  // Counted first: a worker may pop it before push_task returns.
  size_.fetch_add(1);
  WithinPolicy within(ThisThread().worker);
  if (const int error = functions_.push_task(task)) {
    Fatal("scheduling policy '%s' did not take task '%s': push_task returned %d", name(), task_name,
          error);
  }
  return kAllWorkers;
}

Job* ProgramPolicy::Pop(int worker) {
  if (!functions_.pop_task) return nullptr;
  starpu_task* task;
  {
    WithinPolicy within(ThisThread().worker);
    task = functions_.pop_task(context_);
  }
  if (!task) return nullptr;
  Job* job = ExistingJob(task);
  if (!job) Fatal("scheduling policy '%s' gave away a task that was never submitted", name());
  size_.fetch_sub(1);
  if (job->together) return Team::TicketFor(job);
  // The policy may have chosen an implementation; else take the first that the worker can run.
  const unsigned id = static_cast<unsigned>(worker);
  if (!starpu_worker_can_execute_task(id, task, job->implementation) &&
      !CanRunIfAsked(*Runtime::Instance()->worker(worker), job)) {
    Fatal("scheduling policy '%s' gave task '%s' to worker %d, which cannot run it", name(),
          NameOf(*task), worker);
  }
  return job;
}

bool ProgramPolicy::DoSchedule() {
  if (!functions_.do_schedule) return false;
  functions_.do_schedule(context_);
  return true;
}

}  // namespace tasklens::runtime
