// SPDX-License-Identifier: Apache-2.0
// The main loop of a worker's thread: take a job, run it, or wait for one.
#pragma once

#include "runtime/core/runtime.h"

namespace tasklens::runtime {

class WorkerLoop {
 public:
  WorkerLoop(Runtime& runtime, Worker& worker) : runtime_(runtime), worker_(worker) {}
  // Between Begin() and End() the calling thread is the worker.
  void Begin();
  void End();
  // Between TakeOver() and HandOver() the calling thread is the worker, while the worker's own
  // thread idles.
  void TakeOver();
  void HandOver();
  // Takes and runs jobs, or sleeps, until the runtime (or the program that runs the worker) stops.
  void RunUntilStopped();
  // The same until `word` has this value. The thread that sets it must call
  // Sleepers::WakeIfAsleep().
  void RunUntil(const std::atomic<uint32_t>& word, uint32_t value);
  // Runs one job if there is one.
  void RunOnce();

 private:
  void RecordNew() const;
  bool Stopping() const;
  // Returns a job, or nullptr if there is none or the runtime is paused.
  Job* TakeNow();
  Job* Take();
  Job* Find();
  // Searches for a job for a while, then sleeps. Returns a job, or nullptr when there may be one
  // again.
  Job* WaitForJob();
  void Sleep();
  void Tell(Hooks::AboutWorker function) const;
  // The loop for an asynchronous driver: tasks are under way while the worker looks for others.
  void FeedUntilStopped();
  void WaitBeside(const Driver::UnderWay& under_way);
  bool IsFirstOnItsNode() const;
  void Execute(Job* job);

  Runtime& runtime_;
  Worker& worker_;
  const std::atomic<uint32_t>* until_ = nullptr;  // RunUntil()'s
  uint32_t until_value_ = 0;
};

}  // namespace tasklens::runtime
