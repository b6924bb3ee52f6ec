// SPDX-License-Identifier: Apache-2.0
// A task's data as policies see them: whether they are on a worker's memory node, the cost of
// transferring them there, and prefetching.
#pragma once

#include <starpu.h>

#include <cmath>

#include "runtime/core/runtime.h"
#include "runtime/core/worker.h"
#include "runtime/data/conversion.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"

namespace tasklens::runtime {

// Calls function(handle) for each buffer that the task reads.
template <class Function>
void ForEachRead(const starpu_task& task, Function&& function) {
  for (unsigned i = 0; i < BufferCount(task); ++i)
    if (BufferMode(task, i) & STARPU_R) function(BufferHandle(task, i));
}

// The total size of the task's buffers.
inline uint64_t BytesOf(const starpu_task& task) {
  uint64_t bytes = 0;
  for (unsigned i = 0; i < BufferCount(task); ++i) bytes += BufferHandle(task, i)->size_bytes;
  return bytes;
}

// Whether the handle's value is on the node now.
inline bool IsThere(Handle* handle, unsigned node) {
  if (node == STARPU_MAIN_RAM) return !handle->away;
  return Runtime::Instance()->residency().IsOn(handle, node);
}

// Whether all data that the task reads are on the node now.
inline bool HasItsData(const starpu_task& task, unsigned node) {
  Residency& residency = Runtime::Instance()->residency();
  bool has = true;
  ForEachRead(task, [&](Handle* handle) {
    if (!has) return;
    has = IsThere(handle, node);
    if (VirtualTime::On()) has = has && residency.ArrivalOf(handle, node) <= NowNs();
  });
  return has;
}

// The expected time to transfer all data that the task reads to the node.
inline double TransferUs(const starpu_task& task, unsigned node) {
  double sum_us = 0;
  if (!Runtime::Instance()->devices().count()) return sum_us;
  ForEachRead(task, [&](Handle* handle) {
    sum_us += Runtime::Instance()->residency().TransferUs(handle, node);
  });
  return sum_us;
}

// The expected time to convert the task's multiformat data to the worker's layout.
inline double ConversionUs(const starpu_task& task, const Worker& worker) {
  double sum_us = 0;
  if (!Runtime::Instance()->devices().count()) return sum_us;
  const bool is_cuda = worker.kind == STARPU_CUDA_WORKER;
  ForEachRead(task, [&](Handle* handle) {
    if (!WillBeForeign(Runtime::Instance()->residency(), handle, is_cuda)) return;
    const double us = ConversionUs(handle, is_cuda, worker.arch, 0, worker.id);
    if (!std::isnan(us)) sum_us += us;
  });
  return sum_us;
}

// Converts the value on the node to the layout of that node. `worker`: the worker of the calling
// thread, or nullptr.
inline void MakeLayoutOn(const Worker* worker, Handle* handle, unsigned node) {
  if (!IsMultiformat(handle)) return;
  Residency& residency = Runtime::Instance()->residency();
  if (!worker) return MakeOwnLayout(residency, nullptr, handle, node);
  const Converter converter{worker->id, worker->node, worker->arch,
                            [worker] { worker->driver->AwaitFunctions(); }};
  MakeOwnLayout(residency, &converter, handle, node);
}

// Starts to transfer the data that the task reads to the node, as far as there is room. REQUIRES:
// the task has been granted the data.
inline void SendData(const starpu_task& task, unsigned node, CopyReason reason) {
  Runtime& runtime = *Runtime::Instance();
  if (!runtime.devices().count()) return;
  ForEachRead(task, [&](Handle* handle) {
    runtime.residency().Prefetch(handle, node, reason, Residency::Claim::If::kFree);
  });
}

}  // namespace tasklens::runtime
