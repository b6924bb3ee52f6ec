// SPDX-License-Identifier: Apache-2.0
// What a worker's thread does all its life: take a job, run it, or wait for one.
#pragma once

#include "runtime/core/runtime.h"

namespace tasklens::runtime {

class WorkerLoop {
 public:
  WorkerLoop(Runtime& runtime, Worker& worker) : runtime_(runtime), worker_(worker) {}
  // The thread's function; returns when the runtime stops. Raises `ready` when it could take work.
  void Run(std::atomic<int>& ready);

 private:
  Job* Take();
  // Searches for a while, then sleeps; returns when there may be something again.
  Job* WaitForJob();
  void Sleep();
  void Execute(Job* job);

  Runtime& runtime_;
  Worker& worker_;
};

}  // namespace tasklens::runtime
