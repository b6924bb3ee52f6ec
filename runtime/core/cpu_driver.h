// SPDX-License-Identifier: Apache-2.0
// Runs tasks in the worker's own thread.
#pragma once

#include "runtime/core/driver.h"

namespace tasklens::runtime {

class CpuDriver : public Driver {
 public:
  CpuDriver(Runtime& runtime, Worker& worker) : runtime_(runtime), worker_(worker) {}
  void Run(Job* job) override;

  // Runs the job on the current stack, be it the thread's or that of a Pausable.
  void RunHere(Job* job);

 protected:
  Runtime& runtime_;
  Worker& worker_;
};

}  // namespace tasklens::runtime
