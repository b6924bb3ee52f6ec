// SPDX-License-Identifier: Apache-2.0
// Interface of the drivers, which run the tasks of a worker. Each worker has its own driver;
// drivers.cc has the table of them.
#pragma once

#include <starpu.h>

#include <memory>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class Runtime;
struct Worker;

// Called by the worker's own thread.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual void Begin() {}
  virtual void End() {}
  // Runs the job from the moment it was taken from the scheduler to its end, which for a driver
  // with tasks under way may come in a later Tend().
  virtual void Run(Job* job) = 0;
  // Calls the task's function.
  virtual void Call(starpu_cpu_func_t function, void** buffers, Job* job) {
    function(buffers, job->task->cl_arg);
  }

  // Waits until the work that functions have put into the worker's stream is done.
  virtual void AwaitFunctions() {}

  // Whether tasks may be under way while the worker does something else.
  virtual bool is_asynchronous() const { return false; }
  struct UnderWay {
    unsigned tasks;
    bool takes_more;
  };
  // Ends the tasks whose work is done. Returns how many are still under way, and whether the driver
  // takes another one.
  virtual UnderWay Tend() { return {0, true}; }
};

std::unique_ptr<Driver> MakeDriver(Runtime& runtime, Worker& worker);

}  // namespace tasklens::runtime
