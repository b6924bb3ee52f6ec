// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/job_counts.h"

namespace tasklens::runtime {

uint64_t JobCounts::Scheduled() const {
  uint64_t scheduled = 0;
  for (const Slot& slot : slots_) scheduled += slot.scheduled.load();
  return scheduled;
}

uint64_t JobCounts::Ended() const {
  uint64_t ended = 0;
  for (const Slot& slot : slots_) ended += slot.ended.load();
  return ended;
}

uint64_t JobCounts::Outstanding() const {
  // `ended` is read first; it only grows, so the difference is never too small.
  const uint64_t ended = Ended();
  uint64_t submitted = 0;
  for (const Slot& slot : slots_) submitted += slot.submitted.load();
  return submitted - ended;
}

bool JobCounts::SpinForOutstanding(uint64_t left) const {
  constexpr int kSpins = 200;
  for (int i = 0; i < kSpins; ++i) {
    if (Outstanding() <= left) return true;
    CpuRelax();
  }
  return false;
}

void JobCounts::WaitForOutstanding(uint64_t left) {
  WaitUntil(left, [&] { return Outstanding() <= left; });
}

void JobCounts::WaitForEnd(uint64_t ended) {
  WaitUntil(UINT64_MAX, [&] { return Ended() != ended; });
}

template <class IsMet>
void JobCounts::WaitUntil(uint64_t limit, IsMet&& is_met) {
  {
    MutexLock guard(wait_lock_);
    waiters_.fetch_add(1);
    if (wait_limit_.load() < limit) wait_limit_.store(limit);
  }
  for (;;) {
    const uint32_t word = wait_word_.load();
    if (is_met()) break;
    FutexWait(wait_word_, word);
  }
  // Under the lock, since another waiter may arrive now with its own limit.
  MutexLock guard(wait_lock_);
  if (waiters_.fetch_sub(1) == 1) wait_limit_.store(0);
}

void JobCounts::CheckWaiters() {
  if (waiters_.load() == 0) return;
  if (Outstanding() > wait_limit_.load()) return;
  wait_word_.fetch_add(1);
  FutexWakeAll(wait_word_);
}

}  // namespace tasklens::runtime
