// SPDX-License-Identifier: Apache-2.0
// Switches from a worker's loop to a task's stack and back.
#include "runtime/core/pausable.h"

#include <utility>

#include "runtime/core/execution.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// The part of each stack that the worker's own code needs.
constexpr size_t kOwnBytes = size_t{64} << 10;
constexpr size_t kSpares = 16;

SparePausables& SparesOf(ThreadState& thread) {
  if (!thread.spare_stacks) thread.spare_stacks = std::make_shared<SparePausables>();
  return *thread.spare_stacks;
}

}  // namespace

std::unique_ptr<Pausable> SparePausables::Take(size_t stack_bytes) {
  if (stack_bytes != stack_bytes_) spares_.clear();
  stack_bytes_ = stack_bytes;
  if (spares_.empty()) return std::make_unique<Pausable>(stack_bytes);
  std::unique_ptr<Pausable> spare = std::move(spares_.back());
  spares_.pop_back();
  return spare;
}

void SparePausables::Give(std::unique_ptr<Pausable> spare, size_t stack_bytes) {
  if (stack_bytes == stack_bytes_ && spares_.size() < kSpares) spares_.push_back(std::move(spare));
}

Pausable* Pausable::Current() { return ThisThread().pausable; }

void Pausable::Start(Worker& worker, Job* job, void (*run)(Worker&, Job*)) {
  Runtime& runtime = *Runtime::Instance();
  std::unique_ptr<Pausable> self =
      SparesOf(ThisThread()).Take(runtime.settings.pausable_stack_bytes + kOwnBytes);
  runtime.stacks_in_use.fetch_add(1, std::memory_order_relaxed);
  self->worker_ = &worker;
  self->job_ = job;
  self->run_ = run;
  self->paused_ns_ = 0;
  Enter(std::move(self), /*begins=*/true);
}

void Pausable::Enter(std::unique_ptr<Pausable> self, bool begins) {
  ThreadState& thread = ThisThread();
  thread.pausable = self.get();
  const bool has_returned =
      begins ? self->fiber_.Run([](void* pausable) { static_cast<Pausable*>(pausable)->RunJob(); },
                                self.get())
             : self->fiber_.Continue();
  thread.pausable = nullptr;
  if (!has_returned) {
    (void)self.release();  // now owned by the ticket of Resume()
    return;
  }
  Runtime::Instance()->stacks_in_use.fetch_sub(1, std::memory_order_relaxed);
  const size_t stack_bytes = self->fiber_.stack_bytes();
  SparesOf(thread).Give(std::move(self), stack_bytes);
}

void Pausable::RunJob() { run_(*worker_, job_); }

void Pausable::Pause() {
  ThreadState& thread = ThisThread();
  if (thread.draining)
    Fatal("%s waits inside a callback: that is for its function alone",
          DescribeTask(*job_).c_str());
  Job* const current = std::exchange(thread.current, nullptr);
  unsigned* const context = std::exchange(thread.context, nullptr);
  const Job* const running = worker_->running.load(std::memory_order_relaxed);
  worker_->running.store(nullptr, std::memory_order_release);
  const Activity activity = worker_->activity.Enter(Activity::kOverhead);
  const uint64_t since_ns = NowNs();
  ++worker_->pauses;
  trace::Pause(job_, worker_->id);
  trace::State(StateKind::kScheduling);
  fiber_.Pause();
  trace::Continue(job_, worker_->id);
  paused_ns_ += NowNs() - since_ns;
  worker_->activity.Enter(activity);
  worker_->running.store(running, std::memory_order_release);
  thread.context = context;
  thread.current = current;
}

void Pausable::Resume() {
  Job* const ticket = NewJob(/*with_task=*/false);
  ticket->is_ticket = true;
  ticket->control = this;
  ticket->on_ready = [](Job* of_self) {
    std::unique_ptr<Pausable> self(static_cast<Pausable*>(of_self->control));
    FreeJob(of_self);
    Enter(std::move(self), /*begins=*/false);
  };
  Runtime::Instance()->GiveTicket(worker_->id, ticket);
}

}  // namespace tasklens::runtime
