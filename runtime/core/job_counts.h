// SPDX-License-Identifier: Apache-2.0
// How many jobs were submitted, scheduled and have ended, and threads that wait until few enough
// are left. Any thread; no cache line that all threads write.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class JobCounts {
 public:
  // `slot`: of the calling thread, see ThreadState::counter_slot.
  void Submitted(uint32_t slot) { slots_[slot % kSlots].submitted.fetch_add(1); }
  void Scheduled(uint32_t slot) {
    slots_[slot % kSlots].scheduled.fetch_add(1, std::memory_order_relaxed);
  }
  void Ended(uint32_t slot) {
    slots_[slot % kSlots].ended.fetch_add(1);
    if (wait_limit_.load(std::memory_order_relaxed) != 0) CheckWaiters();
  }
  uint64_t Scheduled() const;
  uint64_t Ended() const;
  // Jobs submitted and not ended. Exact when it says 0: then all had ended at one moment during the
  // call.
  uint64_t Outstanding() const;

  // Waits until at most `left` jobs are outstanding; spins first, which is enough (true) where the
  // last one ends right now.
  bool SpinForOutstanding(uint64_t left) const;
  void WaitForOutstanding(uint64_t left);
  // Waits until some job ends, when so many (Ended()) have.
  void WaitForEnd(uint64_t ended);
  // To be called when jobs have ended and this thread has nothing else to do: whoever waits for 0
  // left is told by nobody else.
  void CheckWaiters();

 private:
  // Sleeps until is_met(). Told of when at most `limit` jobs are left.
  template <class IsMet>
  void WaitUntil(uint64_t limit, IsMet&& is_met);

  static constexpr uint32_t kSlots = 16;
  struct alignas(kCacheLine) Slot {
    std::atomic<uint64_t> submitted{0};
    std::atomic<uint64_t> scheduled{0};
    alignas(kCacheLine) std::atomic<uint64_t> ended{0};
  };
  std::array<Slot, kSlots> slots_;

  Mutex wait_lock_;  // of who comes and goes
  alignas(kCacheLine) std::atomic<uint32_t> waiters_{0};
  std::atomic<uint64_t> wait_limit_{0};  // the largest number that a waiter is content with
  std::atomic<uint32_t> wait_word_{0};   // a futex
};

}  // namespace tasklens::runtime
