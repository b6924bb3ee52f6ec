// SPDX-License-Identifier: Apache-2.0
// A mutex that a thread may lock again while it has it, and can ask whether it has.
#pragma once

#include <atomic>
#include <mutex>

#include "runtime/core/thread_state.h"

namespace tasklens::runtime {

class ReentrantMutex {
 public:
  void lock() {
    if (is_mine()) {
      ++depth_;
    } else {
      mutex_.lock();
      Took();
    }
  }
  bool try_lock() {
    if (is_mine()) {
      ++depth_;
    } else if (!mutex_.try_lock()) {
      return false;
    } else {
      Took();
    }
    return true;
  }
  void unlock() {
    if (--depth_ > 0) return;
    owner_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
  }
  // Whether the calling thread has it. (What others write here is never this thread.)
  bool is_mine() const { return owner_.load(std::memory_order_relaxed) == &ThisThread(); }

 private:
  void Took() {
    owner_.store(&ThisThread(), std::memory_order_relaxed);
    depth_ = 1;
  }
  std::mutex mutex_;
  std::atomic<const ThreadState*> owner_{nullptr};
  int depth_ = 0;  // by its owner
};

}  // namespace tasklens::runtime
