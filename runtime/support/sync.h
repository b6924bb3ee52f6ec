// SPDX-License-Identifier: Apache-2.0
// The runtime's own locks: small, fast when uncontended, otherwise sleeping on a futex.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include "runtime/support/thread_annotations.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace tasklens::runtime {

inline constexpr size_t kCacheLine = 64;

// One iteration of a spin loop.
inline void CpuRelax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Prefetches the cache line at `address` for a write by this thread, from the processor that wrote
// it last.
inline void FetchToWrite(const void* address) {
#if defined(__x86_64__) || defined(__i386__)
  // The builtin alone fetches the line for reading; a write would have to fetch it again.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

// Sleeps while `word` holds `expected`; may return early. `timeout_ns` 0: no limit.
void FutexWait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns = 0);
void FutexWake(std::atomic<uint32_t>& word, int count);
inline void FutexWakeAll(std::atomic<uint32_t>& word) { FutexWake(word, INT_MAX); }
// Yields to other threads, which the caller's loop may be waiting for.
void LetOthersRun();

// A fence between two sides, one of which runs much more often. If the system supports it, the rare
// side puts a fence into all threads of the program, and the frequent side only needs a compiler
// fence.
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

// ThreadSanitizer only knows pthread locks. These calls tell it of Mutex, so that it finds
// lock-order inversions.
#if defined(__SANITIZE_THREAD__)
inline void TsanBeforeLock(void* lock, unsigned flags = 0) { __tsan_mutex_pre_lock(lock, flags); }
inline void TsanAfterLock(void* lock, unsigned flags = 0) {
  __tsan_mutex_post_lock(lock, flags, 0);
}
inline void TsanBeforeUnlock(void* lock) { __tsan_mutex_pre_unlock(lock, 0); }
inline void TsanAfterUnlock(void* lock) { __tsan_mutex_post_unlock(lock, 0); }
inline constexpr unsigned kTsanTry = __tsan_mutex_try_lock;
inline constexpr unsigned kTsanTryFailed = __tsan_mutex_try_lock | __tsan_mutex_try_lock_failed;
#else
inline void TsanBeforeLock(void*, unsigned = 0) {}
inline void TsanAfterLock(void*, unsigned = 0) {}
inline void TsanBeforeUnlock(void*) {}
inline void TsanAfterUnlock(void*) {}
inline constexpr unsigned kTsanTry = 0, kTsanTryFailed = 0;
#endif

// A mutex for critical sections of some nanoseconds. It spins briefly, because the holder is about
// to leave, then sleeps, because with more threads than processors the holder may not be running.
// Meets the requirements of std::lock_guard; clang's checker needs the guard MutexLock.
class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() {
    TsanBeforeLock(this);
    uint32_t free = kFree;
    if (!word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire)) LockSlow();
    TsanAfterLock(this);
  }
  bool try_lock() TRY_ACQUIRE(true) {
    TsanBeforeLock(this, kTsanTry);
    const bool took = Take();
    TsanAfterLock(this, took ? kTsanTry : kTsanTryFailed);
    return took;
  }
  void unlock() RELEASE() {
    TsanBeforeUnlock(this);
    if (word_.exchange(kFree, std::memory_order_release) == kContended) FutexWake(word_, 1);
    TsanAfterUnlock(this);
  }

 private:
  enum : uint32_t { kFree, kHeld, kContended };
  bool Take() {
    uint32_t free = kFree;
    return word_.compare_exchange_strong(free, kHeld, std::memory_order_acquire);
  }
  void LockSlow() {
    for (int i = 0; i < kSpins; ++i) {
      CpuRelax();
      if (word_.load(std::memory_order_relaxed) == kFree && Take()) return;
    }
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree) {
      FutexWait(word_, kContended);
    }
  }
  static constexpr int kSpins = 100;
  std::atomic<uint32_t> word_{kFree};
};

// Holds a mutex while it lives. unlock() may release it earlier, and lock() take it again.
template <class Lock>
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Lock& lock) ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
  ~MutexLock() RELEASE() {
    if (holds_) lock_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() ACQUIRE() {
    lock_.lock();
    holds_ = true;
  }
  void unlock() RELEASE() {
    holds_ = false;
    lock_.unlock();
  }

 private:
  Lock& lock_;
  bool holds_ = true;
};

// A condition variable, as std::condition_variable. The condition is changed, and notify_all()
// called, under the lock of the waiting threads.
class Condition {
 public:
  // REQUIRES: the caller holds the lock; it does so afterwards, too.
  template <class Lock, class Predicate>
  void wait(Lock& guard, Predicate&& is_met) {
    while (!is_met()) wait(guard);
  }
  template <class Lock>
  void wait(Lock& guard) NO_THREAD_SAFETY_ANALYSIS {
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
