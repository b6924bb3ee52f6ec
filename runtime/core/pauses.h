// SPDX-License-Identifier: Apache-2.0
// starpu_pause(): while paused, no worker takes or starts a job.
//
// A worker takes or starts a job only between MayBegin() (if that returns true) and HasBegun(). All
// functions may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/core/worker.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

class Pauses {
 public:
  // `stopping`: once true, no thread waits any more.
  Pauses(const Workers& workers, const std::atomic<bool>& stopping)
      : workers_(workers), stopping_(stopping) {}

  // Increments the pause count. Once AwaitBegins() has returned, no job begins.
  void Pause() { paused_.fetch_add(1); }
  // Decrements the pause count. Returns whether it became 0, so that the caller must wake the
  // workers.
  bool Resume();
  // Sets the pause count to 0.
  void ResumeAll();
  bool paused() const { return paused_.load(std::memory_order_relaxed) != 0; }

  bool MayBegin(Worker& worker) {
    worker.begins.store(1, std::memory_order_relaxed);
    // Either this thread sees the pause, or AwaitBegins() sees `begins` of this worker.
    begin_fence_.Frequent();
    if (!paused()) return true;
    HasBegun(worker);
    return false;
  }
  void HasBegun(Worker& worker) const { worker.begins.store(0, std::memory_order_release); }
  // Waits while the runtime is paused. May return early, in any case after `timeout_ns` (0: no
  // limit).
  void WaitWhilePaused(uint64_t timeout_ns);
  // Wait until the worker, or each worker, is not taking or starting a job. When it begins its next
  // one, it sees everything that the caller wrote before this call.
  void AwaitBeginOf(const Worker& worker) const;
  void AwaitBegins() const;

 private:
  // Clears `begins` of the calling worker: a callback or a policy may call while its worker takes a
  // job, and other callers must not wait for that worker.
  void LeaveOwnBegin() const;

  const Workers& workers_;
  const std::atomic<bool>& stopping_;
  std::atomic<uint32_t> paused_{0};  // the pause count; a futex
  const UnevenFence begin_fence_;  // between workers that begin a job and threads in AwaitBegins()
};

}  // namespace tasklens::runtime
