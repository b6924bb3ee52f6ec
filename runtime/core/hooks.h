// SPDX-License-Identifier: Apache-2.0
// Functions that the program registers: called by idle workers, when workers fall asleep or wake
// up, and for tasks that will be ready soon (starpu_expert.h and others).
#pragma once

#include <starpu.h>

#include <array>
#include <atomic>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

struct Job;

class Hooks {
 public:
  using Idle = unsigned (*)(void* argument);
  using AboutWorker = void (*)(unsigned worker);

  // Returns an id for Remove(), or -ENOMEM.
  int Add(Idle function, void* argument);
  void Remove(int id);
  // Calls the idle functions in turn. Returns whether all of them let the worker sleep.
  bool CallIdle();

  std::atomic<AboutWorker> falls_asleep{nullptr}, wakes_up{nullptr};

  void SetReadySoon(starpu_notify_ready_soon_func function, void* data) {
    ready_soon_data_ = data;
    ready_soon_.store(function, std::memory_order_release);
  }
  // The job starts on the calling worker. Tells the program which tasks wait only for this job.
  void NoteStart(Job* job) {
    if (ready_soon_.load(std::memory_order_relaxed)) [[unlikely]]
      TellReadySoon(job);
  }

 private:
  struct Hook {
    Idle function = nullptr;  // nullptr: the slot is free
    void* argument = nullptr;
  };
  void TellReadySoon(Job* job);

  static constexpr size_t kMost = 32;
  std::array<Hook, kMost> hooks_ GUARDED_BY(lock_);
  std::atomic<int> count_{0};
  Mutex lock_;  // guards hooks_
  std::atomic<starpu_notify_ready_soon_func> ready_soon_{nullptr};
  void* ready_soon_data_ = nullptr;
};

}  // namespace tasklens::runtime
