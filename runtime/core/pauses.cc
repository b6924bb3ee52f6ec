// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/pauses.h"

#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {

void Pauses::LeaveOwnBegin() const {
  if (Worker* const self = ThisThread().worker) HasBegun(*self);
}

void Pauses::AwaitBeginOf(const Worker& worker) const {
  LeaveOwnBegin();
  begin_fence_.Rare();
  while (worker.begins.load(std::memory_order_acquire) != 0) LetOthersRun();
}

void Pauses::AwaitBegins() const {
  LeaveOwnBegin();
  begin_fence_.Rare();
  for (const auto& worker : workers_) {
    while (worker->begins.load(std::memory_order_acquire) != 0) LetOthersRun();
  }
}

bool Pauses::Resume() {
  uint32_t paused = paused_.load();
  while (paused > 0 && !paused_.compare_exchange_weak(paused, paused - 1)) {
  }
  if (paused != 1) return false;
  FutexWakeAll(paused_);
  return true;
}

void Pauses::ResumeAll() {
  paused_.store(0);
  FutexWakeAll(paused_);
}

void Pauses::WaitWhilePaused(uint64_t timeout_ns) {
  const uint32_t paused = paused_.load();
  if (paused != 0 && !stopping_.load()) FutexWait(paused_, paused, timeout_ns);
}

}  // namespace tasklens::runtime
