// SPDX-License-Identifier: Apache-2.0
// Borrows a worker and returns it.
#include "runtime/openmp/place.h"

#include "runtime/core/runtime.h"
#include "runtime/core/worker_loop.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime::openmp {
namespace {

void Await(std::atomic<uint32_t>& phase, uint32_t wanted) {
  for (uint32_t now = phase.load(); now != wanted; now = phase.load()) FutexWait(phase, now);
}

void Enter(std::atomic<uint32_t>& phase, uint32_t next) {
  phase.store(next);
  FutexWakeAll(phase);
}

}  // namespace

void Place::Lend(Runtime& runtime, Worker& worker, Loan& loan) {
  WorkerLoop loop(runtime, worker);
  loop.HandOver();
  Enter(loan.phase, kLent);
  Await(loan.phase, kReturned);
  loop.TakeOver();
}

Place::Place(Runtime& runtime, Worker& worker)
    : runtime_(runtime), worker_(worker), loan_(std::make_shared<Loan>()) {
  Job* const ticket = NewJob(/*with_task=*/false);
  ticket->is_ticket = true;
  ticket->control = new std::shared_ptr<Loan>(loan_);
  ticket->on_ready = [](Job* turn) {
    const std::unique_ptr<std::shared_ptr<Loan>> loan(
        static_cast<std::shared_ptr<Loan>*>(turn->control));
    FreeJob(turn);
    Lend(*Runtime::Instance(), *ThisThread().worker, **loan);
  };
  runtime.GiveTicket(worker.id, ticket);
  Await(loan_->phase, kLent);
  if (worker.os_cpu >= 0 && sched_getaffinity(0, sizeof(processors_), &processors_) == 0) {
    runtime.topology().BindThisThread(worker.os_cpu);
    is_bound_ = true;
  }
  WorkerLoop(runtime, worker).TakeOver();
}

Place::~Place() {
  WorkerLoop(runtime_, worker_).HandOver();
  if (is_bound_) sched_setaffinity(0, sizeof(processors_), &processors_);
  Enter(loan_->phase, kReturned);
}

}  // namespace tasklens::runtime::openmp
