// SPDX-License-Identifier: Apache-2.0
// The driver of a worker on a real device: owns a stream of the device and tracks the tasks in it.
//
// A task whose codelet says STARPU_CUDA_ASYNC only puts its work into the stream. The worker goes
// on to the next task, until STARPU_CUDA_PIPELINE tasks are under way, and ends each when the
// device has finished it; the stream waits for data that are still being copied. Other tasks are
// done when their function returns; they begin when the tasks before them are over and their data
// have arrived.
//
// A task under way pins its data, so they cannot be evicted. Hence a worker never waits for free
// memory with tasks under way: it ends them first.
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "runtime/core/driver.h"
#include "runtime/core/execution.h"
#include "runtime/drivers/accelerators.h"

namespace tasklens::runtime {

// The NVIDIA libraries for which a worker keeps handles (math_libraries_api.cc).
enum class MathLibrary { kCublas, kCublasLt, kCusparse, kCusolver };
inline constexpr size_t kMathLibraries = 4;

class DeviceWorker : public Driver {
 public:
  DeviceWorker(Runtime& runtime, Worker& worker);
  ~DeviceWorker() override;
  void Begin() override;
  void End() override;
  void Run(Job* job) override;
  void AwaitFunctions() override { accelerators_.Finish(stream_); }
  bool is_asynchronous() const override { return true; }
  UnderWay Tend() override;

  Accelerators::Stream* stream() { return stream_; }
  // The worker's handle of the library; nullptr until the library is first used.
  void*& math_handle(MathLibrary library) { return math_handles_[static_cast<size_t>(library)]; }

 private:
  struct Task : Execution {
    using Execution::Execution;
    Accelerators::Mark *begun = nullptr, *ended = nullptr;
  };
  void Launch(Task& task);
  // Publishes the task as the one the worker is running (watchdog, trace): it is now first in the
  // stream.
  void ComesFirst(Task& task);
  bool IsDone(const Task& task);
  void ReleaseScratchOfFirst();
  void EndFirst();
  void EndAll();
  [[noreturn]] void Failed(const Task& task, const std::string& why);

  Runtime& runtime_;
  Worker& worker_;
  Accelerators& accelerators_;
  const size_t depth_;  // most tasks under way; 0: all tasks are synchronous
  Accelerators::Stream* stream_ = nullptr;
  std::array<void*, kMathLibraries> math_handles_{};
  std::deque<std::unique_ptr<Task>> tasks_;  // in the order of the stream
  uint64_t last_ended_ns_ = 0;               // end of the latest finished task, by the host's clock
};

// Returns the driver of the calling thread if that is a CUDA worker, else nullptr.
DeviceWorker* ThisDeviceWorker();

}  // namespace tasklens::runtime
