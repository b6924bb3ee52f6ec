// SPDX-License-Identifier: Apache-2.0
// A mutex that a thread may lock again while it has it, and can ask whether it has.
#pragma once

#include <atomic>

#include "runtime/jobs/thread_state.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// The checker follows one level of it.
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
  // Gives back all levels of it, and says how many: none when the calling thread does not have it.
  // Restore() takes them again.
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
  // Whether the calling thread has it. (What others write here is never this thread.)
  bool is_mine() const { return owner_.load(std::memory_order_relaxed) == &ThisThread(); }

 private:
  void Took() {
    owner_.store(&ThisThread(), std::memory_order_relaxed);
    depth_ = 1;
  }
  Mutex mutex_;
  std::atomic<const ThreadState*> owner_{nullptr};
  int depth_ = 0;  // by its owner
};

}  // namespace tasklens::runtime
