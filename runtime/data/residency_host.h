// SPDX-License-Identifier: Apache-2.0
// ResidencyHost: the services that Residency needs from the runtime: the Carrier, the state of
// workers, and the tools that listen to transfers.
//
// Threads: any.
#pragma once

#include <starpu.h>
#include <starpu_profiling_tool.h>

#include <atomic>
#include <cstdint>

namespace tasklens::runtime {

class Carrier;

class ResidencyHost {
 public:
  virtual ~ResidencyHost() = default;
  // nullptr if there are no devices.
  virtual Carrier* carrier() = 0;
  // Whether devices can copy to and from `memory` asynchronously, without blocking the calling
  // thread.
  virtual bool IsPinned(const void* memory) = 0;
  // Returns the memory node of a worker.
  virtual unsigned NodeOf(int worker) = 0;
  // Returns the flag to set while this thread's worker waits for room; nullptr if the thread
  // belongs to no worker.
  virtual std::atomic<bool>* StuckMark() = 0;
  // Whether another worker runs a task that may free memory when it ends. Leaves out the worker of
  // this thread, and workers that wait for room themselves.
  virtual bool IsAnyOtherBusy() = 0;
  // Whether a tool listens to `event`, the start or the end of a transfer.
  virtual bool Wants(starpu_prof_tool_event event) = 0;
  // Reports the event to tools. Calls code of the program. REQUIRES no lock.
  virtual void Tell(starpu_prof_tool_event event, unsigned target, uint64_t bytes) = 0;
};

}  // namespace tasklens::runtime
