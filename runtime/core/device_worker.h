// SPDX-License-Identifier: Apache-2.0
// A worker of a real device: a stream of it, and the tasks in it.
//
// A task whose codelet says STARPU_CUDA_ASYNC only puts its work into the stream; the worker goes
// on to the next, until STARPU_CUDA_PIPELINE of them are under way, and ends each when the device
// has done it. Data on their way are waited for by the stream. Other tasks have done their work
// when their function returns, and begin when the tasks before them are over and their data are
// there.
//
// Under way, a task holds its data and keeps them from being evicted. So a worker never waits for
// room with tasks under way: it ends them first.
#pragma once

#include <array>
#include <deque>
#include <memory>

#include "runtime/core/driver.h"
#include "runtime/core/execution.h"
#include "runtime/drivers/accelerators.h"

namespace tasklens::runtime {

// NVIDIA's libraries of which a worker has handles (math_libraries.cc).
enum class MathLibrary { kCublas, kCublasLt, kCusparse, kCusolver };
inline constexpr size_t kMathLibraries = 4;

class DeviceWorker : public Driver {
 public:
  DeviceWorker(Runtime& runtime, Worker& worker);
  ~DeviceWorker() override;
  void Begin() override;
  void End() override;
  void Run(Job* job) override;
  void Call(starpu_cpu_func_t function, void** buffers, Job* job) override;
  void AwaitFunctions() override { accelerators_.Finish(stream_); }
  bool is_asynchronous() const override { return true; }
  UnderWay Tend() override;

  Accelerators::Stream* stream() { return stream_; }
  // nullptr until somebody makes one.
  void*& math_handle(MathLibrary library) { return math_handles_[static_cast<size_t>(library)]; }

 private:
  struct Task : Execution {
    using Execution::Execution;
    Accelerators::Mark *begun = nullptr, *ended = nullptr;
  };
  void Launch(Task& task);
  // The next task in the stream is the one that the worker is at, for all that look.
  void ComesFirst(Task& task);
  bool IsDone(const Task& task);
  void ReleaseScratchOfFirst();
  void EndFirst();
  void EndAll();
  [[noreturn]] void Failed(const Task& task, const std::string& why);

  Runtime& runtime_;
  Worker& worker_;
  Accelerators& accelerators_;
  const size_t depth_;  // tasks under way at most; 0: none goes on without the worker
  Accelerators::Stream* stream_ = nullptr;
  std::array<void*, kMathLibraries> math_handles_{};
  std::deque<std::unique_ptr<Task>> tasks_;  // in the order of the stream
  uint64_t last_ended_ns_ = 0;               // of those that are over, by the host's clock
};

// The driver of the calling thread, when it is a CUDA worker's; else nullptr.
DeviceWorker* ThisDeviceWorker();

}  // namespace tasklens::runtime
