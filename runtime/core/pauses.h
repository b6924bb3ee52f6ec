// SPDX-License-Identifier: Apache-2.0
// starpu_pause(): no worker takes or starts a job.
//
// A worker takes a job, or starts one, between MayBegin() and HasBegun(), and neither if it may not
// begin. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/core/worker.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

class Pauses {
 public:
  // `stopping`: from when it is true nobody waits any more.
  Pauses(const Workers& workers, const std::atomic<bool>& stopping)
      : workers_(workers), stopping_(stopping) {}

  // Once more. Nothing begins any more, from the return of AwaitBegins() on.
  void Pause() { paused_.fetch_add(1); }
  // Once less. Whether nothing is paused any more, so that the workers are to be woken.
  bool Resume();
  // All at once.
  void ResumeAll();
  bool paused() const { return paused_.load(std::memory_order_relaxed) != 0; }

  bool MayBegin(Worker& worker) {
    worker.begins.store(1, std::memory_order_relaxed);
    // Either this thread sees that the runtime is paused, or AwaitBegins() that the worker begins.
    begin_fence_.Frequent();
    if (!paused()) return true;
    HasBegun(worker);
    return false;
  }
  void HasBegun(Worker& worker) const { worker.begins.store(0, std::memory_order_release); }
  // Returns when the workers may begin. A limit of time (0: none) makes it look more often, and
  // return once in between.
  void WaitWhilePaused(uint64_t timeout_ns);
  // Returns when the worker, or each, is not about to take or start a job. What it has to see
  // before it begins the next one was written before this call.
  void AwaitBeginOf(const Worker& worker) const;
  void AwaitBegins() const;

 private:
  // A callback or a policy calls on behalf of what is begun. It waits for the others, and these not
  // for it.
  void LeaveOwnBegin() const;

  const Workers& workers_;
  const std::atomic<bool>& stopping_;
  std::atomic<uint32_t> paused_{0};  // how many times; a futex
  const UnevenFence begin_fence_;    // between workers that begin something and who awaits them
};

}  // namespace tasklens::runtime
