// SPDX-License-Identifier: Apache-2.0
// Tickets, gathering members, and running tasks together.
#include "runtime/core/team.h"

#include <algorithm>

#include "runtime/core/driver.h"
#include "runtime/core/execution.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void WaitUntil(std::atomic<uint32_t>& word, uint32_t least) {
  constexpr int kSpins = 200;
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) >= least) return;
    CpuRelax();
  }
  for (;;) {
    const uint32_t value = word.load(std::memory_order_acquire);
    if (value >= least) return;
    FutexWait(word, value);
  }
}

// Increments the word, wakes its waiters, and returns the value before.
uint32_t Raise(std::atomic<uint32_t>& word) {
  const uint32_t before = word.fetch_add(1, std::memory_order_acq_rel);
  FutexWakeAll(word);
  return before;
}

}  // namespace

void Team::MakeTicket(Job* ticket) {
  ticket->control = this;
  ticket->is_ticket = true;
  ticket->on_ready = [](Job* turn) {
    auto* team = static_cast<Team*>(turn->control);
    FreeJob(turn);
    team->Arrive(*ThisThread().worker);
  };
}

void Team::GiveTickets(Runtime& runtime) {
  MutexLock guard(runtime.team_lock);
  for (const int member : members_) {
    Job* ticket = NewJob(/*with_task=*/false);
    MakeTicket(ticket);
    runtime.GiveTicket(member, ticket);
  }
}

void Team::Start(Runtime& runtime, Job* job, std::vector<int> members, Roles roles,
                 int combined_id) {
  Team* team = new Team(job, std::move(members), roles, combined_id, 0);
  job->team = team;
  job->together = true;
  team->GiveTickets(runtime);
}

void* Team::RunHere(Runtime& runtime, std::vector<int> members, void* (*function)(void*),
                    void* argument) {
  Team* team = Hold(runtime, std::move(members));
  team->WaitForMembers();
  void* result = function(argument);
  team->OpenAndLeave();
  return result;
}

Team* Team::Hold(Runtime& runtime, std::vector<int> members, uint32_t owners) {
  Team* team = new Team(nullptr, std::move(members), Roles::kFirstRuns, -1, owners);
  team->GiveTickets(runtime);
  return team;
}

void Team::Open() {
  phase_.store(kOver, std::memory_order_release);
  FutexWakeAll(phase_);
}

void Team::OpenAndLeave() {
  Open();
  Leave();
}

void Team::Close() {
  WaitForMembers();
  Leave();
}

Team::Roles Team::RolesFor(const Job& job) {
  return job.task->cl->type == STARPU_SPMD ? Roles::kAllRun : Roles::kFirstRuns;
}

void Team::Gather(Job* job, int size, int combined_id) {
  job->team = new Team(job, size, RolesFor(*job), combined_id);
  job->together = true;
}

Job* Team::TicketFor(Job* copy) {
  Job* ticket = NewJob(/*with_task=*/false);
  copy->team->MakeTicket(ticket);
  FreeJob(copy);
  return ticket;
}

void Team::WaitForMembers() { WaitUntil(arrived_, static_cast<uint32_t>(size_)); }

void Team::Leave() {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void Team::CallAs(Worker& worker, int rank) {
  ThreadState& thread = ThisThread();
  thread.team = this;
  thread.team_rank = rank;
  CallFunction(worker, function_, buffers_, job_, /*first=*/rank == 0);
  thread.team = nullptr;
}

void Team::Call(Worker& worker, starpu_cpu_func_t function, void** buffers) {
  function_ = function;
  buffers_ = buffers;
  // Members that have not arrived yet do not arrive while the runtime is paused.
  Runtime& runtime = *Runtime::Instance();
  runtime.pauses().HasBegun(worker);
  WaitForMembers();
  AwaitStart(runtime, worker);
  if (Recorder::Started()) trace::NoteData(job_);
  phase_.store(kRunning, std::memory_order_release);
  FutexWakeAll(phase_);
  CallAs(worker, 0);
  if (roles_ == Roles::kAllRun) WaitUntil(finished_, static_cast<uint32_t>(size_) - 1);
  phase_.store(kOver, std::memory_order_release);
  FutexWakeAll(phase_);
}

void Team::Arrive(Worker& worker) {
  int rank = static_cast<int>(Raise(arrived_));
  if (!members_.empty()) {
    const auto it = std::find(members_.begin(), members_.end(), worker.id);
    rank = static_cast<int>(it - members_.begin());
  }
  if (job_ && rank == 0) {
    // Until all have arrived, a policy may read the task to copy it.
    if (members_.empty()) WaitForMembers();
    worker.driver->Run(job_);
    return Leave();
  }
  trace::State(StateKind::kParallelSync);
  if (roles_ == Roles::kAllRun) {
    WaitUntil(phase_, kRunning);
    AwaitStart(*Runtime::Instance(), worker);
    ThreadState& thread = ThisThread();
    thread.current = job_;
    CallAs(worker, rank);
    thread.current = nullptr;
    trace::State(StateKind::kParallelSync);
    Raise(finished_);
  }
  WaitUntil(phase_, kOver);
  trace::State(StateKind::kScheduling);
  Leave();
}

}  // namespace tasklens::runtime
