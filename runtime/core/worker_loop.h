// SPDX-License-Identifier: Apache-2.0
// What a worker's thread does all its life: take a job, run it, or wait for one.
#pragma once

#include "runtime/core/runtime.h"

namespace tasklens::runtime {

class WorkerLoop {
 public:
  WorkerLoop(Runtime& runtime, Worker& worker) : runtime_(runtime), worker_(worker) {}
  // From one to the other the calling thread is the worker.
  void Begin();
  void End();
  // The same of a worker that has begun, for another thread while the worker's own does nothing.
  void TakeOver();
  void HandOver();
  // Takes and runs jobs, or sleeps, until the runtime (or the program that runs it) stops.
  void RunUntilStopped();
  // The same until `word` has this value. Whoever sets it calls Sleepers::WakeIfAsleep() then.
  void RunUntil(const std::atomic<uint32_t>& word, uint32_t value);
  // Runs one job if there is one.
  void RunOnce();

 private:
  void RecordNew() const;
  bool Stopping() const;
  // A job, or nullptr when there is none, or the runtime is paused.
  Job* TakeNow();
  Job* Take();
  Job* Find();
  // Searches for a while, then sleeps; returns when there may be something again.
  Job* WaitForJob();
  void Sleep();
  void Tell(Hooks::AboutWorker function) const;
  // The same life with tasks that are under way while the worker looks for others.
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
