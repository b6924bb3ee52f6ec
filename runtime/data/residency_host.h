// SPDX-License-Identifier: Apache-2.0
// What data ask of the run that they are in: who carries them to devices, what workers are at, and
// tools that want to hear of transfers.
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
  // Carries values to devices and back; nullptr where there are no devices.
  virtual Carrier* carrier() = 0;
  // Whether devices copy from and to this memory without holding up the thread that asks for it.
  virtual bool IsPinned(const void* memory) = 0;
  // The memory node of a worker.
  virtual unsigned NodeOf(int worker) = 0;
  // Set while the worker whose thread this is waits for room; nullptr: it is no worker's thread.
  virtual std::atomic<bool>* StuckMark() = 0;
  // Whether a worker is at a task, at whose end it may free memory: not this thread's own, and none
  // that waits for room itself.
  virtual bool IsAnyOtherBusy() = 0;
  // Of the start, or the end, of a transfer.
  virtual bool Wants(starpu_prof_tool_event event) = 0;
  // Calls code of the program. REQUIRES no lock.
  virtual void Tell(starpu_prof_tool_event event, unsigned target, uint64_t bytes) = 0;
};

}  // namespace tasklens::runtime
