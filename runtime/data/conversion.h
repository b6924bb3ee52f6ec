// SPDX-License-Identifier: Apache-2.0
// multiformat data: CPUs and CUDA devices lay out the same value in two ways. A copy from one kind
// of memory to the other carries the layout that its source has, and leaves a value that is
// *foreign* there; before somebody uses it, the program's codelet makes the node's own layout of
// it: cuda_to_cpu_cl with its function for CPUs in the main memory, cpu_to_cuda_cl with its
// function for CUDA on a device, by the worker whose task comes first. What is written has the
// layout of where it is written.
//
// In a simulation a conversion takes the time that the codelet's performance model knows for the
// worker, and its function is called only where the value is computed for real.
//
// Threads: any. Whether a value is foreign changes by who has claimed the handle (residency.h).
#pragma once

#include <starpu.h>

#include <cstddef>
#include <functional>

#include "runtime/data/handle.h"

namespace tasklens::runtime {

class Residency;

// A worker that converts, on its own thread.
struct Converter {
  int id;
  unsigned node;  // its memory
  starpu_perfmodel_arch* arch;
  // Returns when what functions have put into its stream is done.
  std::function<void()> await_functions;
};

inline bool IsMultiformat(const Handle* handle) {
  return handle->ops->interfaceid == STARPU_MULTIFORMAT_INTERFACE_ID;
}
// Whether the value on a node has to be converted before it is used. False for other interfaces.
bool IsForeign(Handle* handle, unsigned node);
// Whether a value that is not on such a node yet will have to be.
bool WillBeForeign(Residency& residency, Handle* handle, bool on_cuda);

// The value was copied between two interfaces of the handle.
void CarryLayout(const Handle* handle, const void* source, unsigned source_node, void* target,
                 unsigned target_node);
// What a copy from there carries; what the data take on a device, where both layouts have room.
size_t CarriedBytes(const Handle* handle, const void* source, unsigned source_node);
size_t BytesOnDevice(const Handle* handle);

// Microseconds that a conversion takes there, NaN when the model does not know, 0 without a model.
double ConversionUs(Handle* handle, bool to_cuda, starpu_perfmodel_arch* arch,
                    unsigned implementation, int worker);

// Before a use of the value on the node, which is there: converts it, or waits for whoever does.
// `converter`: nullptr on the program's thread. Ends the program with a line when there is no
// function for it.
void MakeOwnLayout(Residency& residency, const Converter* converter, Handle* handle, unsigned node);
// The value on the node is written, and not read.
void WillWriteOwnLayout(Handle* handle, unsigned node);

}  // namespace tasklens::runtime
