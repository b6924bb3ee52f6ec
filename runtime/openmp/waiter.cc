// SPDX-License-Identifier: Apache-2.0
// Waits by pausing, sleeping, or running jobs.
#include "runtime/openmp/waiter.h"

#include <utility>

#include "runtime/core/pausable.h"
#include "runtime/core/runtime.h"
#include "runtime/core/worker_loop.h"

namespace tasklens::runtime::openmp {

Waiter::Waiter(Worker* in_place_of)
    : pausable_(in_place_of ? nullptr : Pausable::Current()), in_place_of_(in_place_of) {}

void Waiter::Wait() {
  Runtime& runtime = *Runtime::Instance();
  runtime.DoSchedule();  // a policy may hold back the tasks waited for
  if (in_place_of_) return WorkerLoop(runtime, *in_place_of_).RunUntil(state_, kWoken);
  uint32_t nobody = kNobody;
  if (!state_.compare_exchange_strong(nobody, kWaits)) return;
  if (pausable_) return pausable_->Pause();
  while (state_.load() != kWoken) FutexWait(state_, kWaits);
}

void Waiter::Wake() {
  Pausable* const pausable = pausable_;
  Worker* const in_place_of = in_place_of_;
  const bool waits = state_.exchange(kWoken) == kWaits;
  // From here on this Waiter may be destroyed, unless its task is paused.
  if (in_place_of) {
    Runtime::Instance()->sleepers().WakeIfAsleep(in_place_of->id);
  } else if (waits) {
    pausable ? pausable->Resume() : FutexWake(state_, 1);
  }
}

void WaitList::Add(Waiter& waiter) {
  waiter.next_ = nullptr;
  (last_ ? last_->next_ : first_) = &waiter;
  last_ = &waiter;
}

void WaitList::AddFirst(Waiter& waiter) {
  waiter.next_ = first_;
  first_ = &waiter;
  if (!last_) last_ = &waiter;
}

Waiter* WaitList::TakeFirst() {
  Waiter* const first = first_;
  if (!first) return nullptr;
  first_ = first->next_;
  if (!first_) last_ = nullptr;
  return first;
}

WaitList WaitList::TakeAll() { return std::exchange(*this, WaitList()); }

void WaitList::WakeAll() {
  while (Waiter* const waiter = TakeFirst()) waiter->Wake();
}

}  // namespace tasklens::runtime::openmp
