// SPDX-License-Identifier: Apache-2.0
// Jobs that may pause within their function, while their worker runs others.
//
// A job with `pausable` set has a stack of its own from the moment its worker takes it (fiber.h).
// Whoever waits on behalf of it makes it known to somebody who will call Resume(), and then calls
// Pause(). In between it counts as running for nobody: the worker's activities, watchdog and trace
// show what the worker does instead. It goes on on the same worker, before what the worker has not
// begun; until the worker is back in its loop nobody can run it, so that Resume() may come before
// Pause().
//
// A task that waits in another way (a lock of pthread, a futex) keeps its worker, as any task does.
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
  // By the worker's thread: run(worker, job), until it has returned or pauses.
  static void Start(Worker& worker, Job* job, void (*run)(Worker&, Job*));
  // That of the calling thread, nullptr when it runs none.
  static Pausable* Current();

  explicit Pausable(size_t stack_bytes) : fiber_(stack_bytes) {}

  // By the job's own function, not by a callback: returns after Resume(). Each of the two needs
  // exactly one of the other.
  void Pause();
  // From any thread.
  void Resume();
  // How long it was paused so far.
  uint64_t paused_ns() const { return paused_ns_; }

 private:
  // The stack again, from its beginning or where it paused, and what follows.
  static void Enter(std::unique_ptr<Pausable> self, bool begins);
  void RunJob();

  Fiber fiber_;
  Worker* worker_ = nullptr;
  Job* job_ = nullptr;
  void (*run_)(Worker&, Job*) = nullptr;
  uint64_t paused_ns_ = 0;
};

// Those that a thread may use again. Few, as each keeps what its stack once needed.
class SparePausables {
 public:
  std::unique_ptr<Pausable> Take(size_t stack_bytes);
  void Give(std::unique_ptr<Pausable> spare, size_t stack_bytes);

 private:
  size_t stack_bytes_ = 0;  // of each
  std::vector<std::unique_ptr<Pausable>> spares_;
};

}  // namespace tasklens::runtime
