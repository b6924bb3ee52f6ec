// SPDX-License-Identifier: Apache-2.0
// A task's data as policies see them: whether they are where a worker uses them, the cost of
// transferring them there, and prefetching. `local` is the memory node of the worker; a codelet may
// name other nodes (specific_nodes.h).
#pragma once

#include <starpu.h>

#include <cmath>

#include "runtime/core/runtime.h"
#include "runtime/core/specific_nodes.h"
#include "runtime/core/worker.h"
#include "runtime/data/conversion.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/perfmodel/models.h"

namespace tasklens::runtime {

// Calls function(handle, node) for each buffer that the task reads, with the node of the buffer.
template <class Function>
void ForEachRead(const starpu_task& task, unsigned local, Function&& function) {
  for (unsigned i = 0; i < BufferCount(task); ++i) {
    if (!(BufferMode(task, i) & STARPU_R)) continue;
    const int node = NodeFor(task, i, local);
    if (node != kNoNode) function(BufferHandle(task, i), static_cast<unsigned>(node));
  }
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

// Whether all data that the task reads are in place now.
inline bool HasItsData(const starpu_task& task, unsigned local) {
  Residency& residency = Runtime::Instance()->residency();
  bool has = true;
  ForEachRead(task, local, [&](Handle* handle, unsigned node) {
    if (!has) return;
    has = IsThere(handle, node);
    if (VirtualTime::On()) has = has && residency.ArrivalOf(handle, node) <= NowNs();
  });
  return has;
}

// The expected time to transfer all data that the task reads.
inline double TransferUs(const starpu_task& task, unsigned local) {
  double sum_us = 0;
  if (!Runtime::Instance()->devices().count()) return sum_us;
  ForEachRead(task, local, [&](Handle* handle, unsigned node) {
    sum_us += Runtime::Instance()->residency().TransferUs(handle, node);
  });
  return sum_us;
}

// The expected time to convert the task's multiformat data to the layout of their nodes.
inline double ConversionUs(const starpu_task& task, const Worker& worker) {
  double sum_us = 0;
  if (!Runtime::Instance()->devices().count()) return sum_us;
  ForEachRead(task, worker.node, [&](Handle* handle, unsigned node) {
    const bool is_cuda = node != STARPU_MAIN_RAM;
    if (!WillBeForeign(Runtime::Instance()->residency(), handle, is_cuda)) return;
    starpu_perfmodel_arch* const arch =
        node == worker.node ? worker.arch
        : is_cuda           ? CudaArch(Runtime::Instance()->devices().NumberOf(node))
                            : CpuArch(1);
    const double us = ConversionUs(handle, is_cuda, arch, 0, worker.id);
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

// Starts to transfer the data that the task reads, as far as there is room. REQUIRES: the task has
// been granted the data.
inline void SendData(const starpu_task& task, unsigned local, CopyReason reason) {
  Runtime& runtime = *Runtime::Instance();
  if (!runtime.devices().count()) return;
  ForEachRead(task, local, [&](Handle* handle, unsigned node) {
    runtime.residency().Prefetch(handle, node, reason, Residency::Claim::If::kFree);
  });
}

}  // namespace tasklens::runtime
