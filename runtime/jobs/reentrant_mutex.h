// SPDX-License-Identifier: Apache-2.0
// A mutex that its owner may lock again, and that tells whether the calling thread owns it.
#pragma once

#include <atomic>

#include "runtime/jobs/thread_state.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// (Clang's thread safety analysis tracks only one level.)
class CAPABILITY("mutex") ReentrantMutex {
 public:
  void lock() ACQUIRE() NO_THREAD_SAFETY_ANALYSIS {
    if (is_mine()) {
      ++depth_;
    } else {
      mutex_.lock();
      Took();
    }
  }
  bool try_lock() TRY_ACQUIRE(true) NO_THREAD_SAFETY_ANALYSIS {
    if (is_mine()) {
      ++depth_;
    } else if (!mutex_.try_lock()) {
      return false;
    } else {
      Took();
    }
    return true;
  }
  void unlock() RELEASE() NO_THREAD_SAFETY_ANALYSIS {
    if (--depth_ > 0) return;
    owner_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
  }
  // Unlocks all levels and returns their number for Restore(), which locks them again; 0 if the
  // calling thread does not own the mutex.
  int ReleaseAll() NO_THREAD_SAFETY_ANALYSIS {
    if (!is_mine()) return 0;
    const int levels = depth_;
    depth_ = 1;
    unlock();
    return levels;
  }
  void Restore(int levels) NO_THREAD_SAFETY_ANALYSIS {
    if (levels == 0) return;
    lock();
    depth_ = levels;
  }
  // Whether the calling thread owns the mutex. (Relaxed is enough: only this thread stores its own
  // address.)
  bool is_mine() const { return owner_.load(std::memory_order_relaxed) == &ThisThread(); }

 private:
  void Took() {
    owner_.store(&ThisThread(), std::memory_order_relaxed);
    depth_ = 1;
  }
  Mutex mutex_;
  std::atomic<const ThreadState*> owner_{nullptr};
  int depth_ = 0;  // used by the owner only
};

}  // namespace tasklens::runtime
