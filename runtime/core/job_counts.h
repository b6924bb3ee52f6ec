// SPDX-License-Identifier: Apache-2.0
// Counts the jobs that were submitted, were scheduled and have ended; threads can wait until few
// enough are left. All functions may be called from any thread; there is no cache line that all
// threads write.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class JobCounts {
 public:
  // `slot`: ThreadState::counter_slot of the calling thread.
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
  // The number of jobs submitted and not ended. Exact if 0: then all had ended at one moment during
  // the call.
  uint64_t Outstanding() const;

  // Both wait until at most `left` jobs are outstanding. SpinForOutstanding() only spins for a
  // moment, which suffices if the last job is just ending, and returns whether it did.
  bool SpinForOutstanding(uint64_t left) const;
  void WaitForOutstanding(uint64_t left);
  // Waits until Ended() differs from `ended`.
  void WaitForEnd(uint64_t ended);
  // To be called when jobs have ended and this thread has nothing else to do. Wakes waiting
  // threads, also those that wait for 0 outstanding jobs, which Ended() does not wake.
  void CheckWaiters();

 private:
  // Sleeps until is_met(), which is tested again when at most `limit` jobs are left.
  template <class IsMet>
  void WaitUntil(uint64_t limit, IsMet&& is_met);

  static constexpr uint32_t kSlots = 16;
  struct alignas(kCacheLine) Slot {
    std::atomic<uint64_t> submitted{0};
    std::atomic<uint64_t> scheduled{0};
    alignas(kCacheLine) std::atomic<uint64_t> ended{0};
  };
  std::array<Slot, kSlots> slots_;

  Mutex wait_lock_;  // held while a waiter registers or leaves
  alignas(kCacheLine) std::atomic<uint32_t> waiters_{0};
  std::atomic<uint64_t> wait_limit_{0};  // the largest number of jobs left that a waiter waits for
  std::atomic<uint32_t> wait_word_{0};   // a futex
};

}  // namespace tasklens::runtime
