// SPDX-License-Identifier: Apache-2.0
// MemoryAccount: the memory that data take, and its limit (STARPU_LIMIT_CPU_MEM for the main
// memory).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class MemoryAccount {
 public:
  // 0: no limit.
  void SetLimit(size_t bytes) { limit_bytes_ = bytes; }
  size_t limit_bytes() const { return limit_bytes_; }
  size_t used_bytes() const {
    // Memory taken before this run but given back in it was never counted.
    const int64_t used = used_bytes_.load(std::memory_order_relaxed);
    return used > 0 ? static_cast<size_t>(used) : 0;
  }
  // Returns the bytes left under the limit; SIZE_MAX without a limit.
  size_t available_bytes() const {
    const size_t limit = limit_bytes_;
    if (!limit) return SIZE_MAX;
    const size_t used = used_bytes();
    return used < limit ? limit - used : 0;
  }
  // Books the bytes if they fit; with `overflow` in any case. Returns whether it did.
  bool Take(size_t bytes, bool overflow) {
    const auto wanted = static_cast<int64_t>(bytes), limit = static_cast<int64_t>(limit_bytes());
    int64_t used = used_bytes_.load(std::memory_order_relaxed);
    do {
      if (!overflow && limit && (wanted > limit || used > limit - wanted)) return false;
    } while (!used_bytes_.compare_exchange_weak(used, used + wanted));
    return true;
  }
  void GiveBack(size_t bytes) {
    used_bytes_.fetch_sub(static_cast<int64_t>(bytes));
    if (!limit_bytes_) return;
    MutexLock guard(lock_);
    changed_.notify_all();
  }
  // Waits until `bytes` are available; returns at once if they exceed the limit.
  void WaitFor(size_t bytes) {
    if (!limit_bytes_ || bytes > limit_bytes_) return;
    MutexLock guard(lock_);
    changed_.wait(guard, [&] { return available_bytes() >= bytes; });
  }

 private:
  std::atomic<size_t> limit_bytes_{0};
  std::atomic<int64_t> used_bytes_{0};
  Mutex lock_;
  Condition changed_;
};

}  // namespace tasklens::runtime
