// SPDX-License-Identifier: Apache-2.0
// The runtime's own locks: small, uncontended in the usual case, and sleeping on a futex otherwise.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

namespace tasklens::runtime {

inline constexpr size_t kCacheLine = 64;

// One turn of a waiting loop.
inline void CpuRelax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// This thread will soon write to the cache line at `address`: fetches it meanwhile, from the
// processor that wrote it last.
inline void FetchToWrite(const void* address) {
#if defined(__x86_64__) || defined(__i386__)
  // The builtin asks for a copy to read, which a write has to ask for again.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

// Sleeps while `word` holds `expected`; may return early. `timeout_ns` 0: no limit.
void FutexWait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns = 0);
void FutexWake(std::atomic<uint32_t>& word, int count);
inline void FutexWakeAll(std::atomic<uint32_t>& word) { FutexWake(word, INT_MAX); }
// Others may be needed for what the caller waits for.
void LetOthersRun();

// A fence between two sides, one of which is passed much more often: where the system lets the rare
// one put a fence into all threads of the program, the frequent one keeps only the compiler from
// reordering.
class UnevenFence {
 public:
  UnevenFence();
  void Frequent() const {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!reaches_all_threads_) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void Rare() const;

 private:
  const bool reaches_all_threads_;
};

// A mutex for critical sections of some nanoseconds: spins shortly, because the holder is about to
// leave, then sleeps, because with more threads than processors the holder may not be running.
// Meets the requirements of std::lock_guard.
class Mutex {
 public:
  void lock() {
    uint32_t free = kFree;
    if (word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire)) return;
    LockSlow();
  }
  bool try_lock() {
    uint32_t free = kFree;
    return word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire);
  }
  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kContended) FutexWake(word_, 1);
  }

 private:
  enum : uint32_t { kFree, kHeld, kContended };
  void LockSlow() {
    for (int i = 0; i < kSpins; ++i) {
      CpuRelax();
      if (word_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
    }
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree) {
      FutexWait(word_, kContended);
    }
  }
  static constexpr int kSpins = 100;
  std::atomic<uint32_t> word_{kFree};
};

// A condition that threads wait for, as std::condition_variable; what it is made of is changed and
// told of with a lock that the waiting hold.
class Condition {
 public:
  template <class Lock, class Predicate>
  void wait(Lock& guard, Predicate&& is_met) {
    while (!is_met()) wait(guard);
  }
  template <class Lock>
  void wait(Lock& guard) {
    waiters_.fetch_add(1);
    const uint32_t seen = word_.load();
    guard.unlock();
    FutexWait(word_, seen);
    guard.lock();
    waiters_.fetch_sub(1);
  }
  void notify_all() {
    word_.fetch_add(1);
    if (waiters_.load() != 0) FutexWakeAll(word_);
  }

 private:
  std::atomic<uint32_t> word_{0}, waiters_{0};
};

}  // namespace tasklens::runtime
