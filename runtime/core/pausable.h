// SPDX-License-Identifier: Apache-2.0
// Jobs that may pause within their function while their worker runs other jobs.
//
// A job with `pausable` set gets its own stack when its worker takes it (fiber.h). The thread that
// makes the job wait first arranges for someone to call Resume(), then calls Pause(). While paused,
// the job does not count as running: the worker's activities, the watchdog and the trace show what
// the worker does instead. The job continues on the same worker, before jobs that the worker has
// not begun. It can only continue once the worker is back in its loop, so Resume() may come before
// Pause().
//
// A task that waits in another way (a pthread lock, a futex) blocks its worker, as any task does.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/core/fiber.h"
#include "runtime/feedback/activity.h"

namespace tasklens::runtime {

struct Job;
struct ThreadState;
struct Worker;

class Pausable {
 public:
  // Calls run(worker, job); returns when it has returned or pauses. Called by the worker's thread.
  static void Start(Worker& worker, Job* job, void (*run)(Worker&, Job*));
  // The Pausable that the calling thread runs, or nullptr.
  static Pausable* Current();

  explicit Pausable(size_t stack_bytes) : fiber_(stack_bytes) {}

  // Returns after Resume(). Each Pause() needs exactly one Resume(). REQUIRES: called by the job's
  // own function, not by a callback.
  void Pause();
  // May be called from any thread.
  void Resume();
  // The total time that the job has been paused so far.
  uint64_t paused_ns() const { return paused_ns_; }

 private:
  // Switches to the stack, at the beginning of the function or where it paused; on return, keeps or
  // recycles the stack.
  static void Enter(std::unique_ptr<Pausable> self, bool begins);
  void RunJob();

  Fiber fiber_;
  Worker* worker_ = nullptr;
  Job* job_ = nullptr;
  void (*run_)(Worker&, Job*) = nullptr;
  uint64_t paused_ns_ = 0;
};

// A thread's cache of unused Pausables. Small, since each keeps the pages that its stack once
// touched.
class SparePausables {
 public:
  std::unique_ptr<Pausable> Take(size_t stack_bytes);
  void Give(std::unique_ptr<Pausable> spare, size_t stack_bytes);

 private:
  size_t stack_bytes_ = 0;  // of each
  std::vector<std::unique_ptr<Pausable>> spares_;
};

}  // namespace tasklens::runtime
