// SPDX-License-Identifier: Apache-2.0
// multiformat data: CPUs and CUDA devices lay out the same value in two ways. A copy from one kind
// of memory to the other keeps the layout of its source, so the value is *foreign* on the target.
// Before the value is used there, the worker of the first task converts it with the program's
// codelet: cuda_to_cpu_cl with its CPU function in the main memory, cpu_to_cuda_cl with its CUDA
// function on a device. A task that writes the value writes the node's own layout.
//
// In a simulation a conversion takes the time that the codelet's performance model knows for the
// worker; its function is called only if the value is computed for real.
//
// Threads: any. Only the thread that has claimed the handle (residency.h) changes whether a value
// is foreign.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <functional>

#include "runtime/data/handle.h"

namespace tasklens::runtime {

class Residency;

// A worker that converts on its own thread.
struct Converter {
  int id;
  unsigned node;  // its memory node
  starpu_perfmodel_arch* arch;
  // Waits until the worker's stream is empty.
  std::function<void()> await_functions;
};

inline bool IsMultiformat(const Handle* handle) {
  return handle->ops->interfaceid == STARPU_MULTIFORMAT_INTERFACE_ID;
}
// Whether the value on the node must be converted before use. False for other interfaces.
bool IsForeign(Handle* handle, unsigned node);
// Whether the value would be foreign after a copy to a node of that kind.
bool WillBeForeign(Residency& residency, Handle* handle, bool on_cuda);

// Called when the value was copied between two interfaces of the handle: marks the target as
// foreign if the layout of the source is not the target's own.
void CarryLayout(const Handle* handle, const void* source, unsigned source_node, void* target,
                 unsigned target_node);
// CarriedBytes() returns the size of a copy from the source; BytesOnDevice() the size of the memory
// on a device, which has room for both layouts.
size_t CarriedBytes(const Handle* handle, const void* source, unsigned source_node);
size_t BytesOnDevice(const Handle* handle);

// Returns the expected microseconds of a conversion; NaN if the model has no estimate, 0 without a
// model.
double ConversionUs(Handle* handle, bool to_cuda, starpu_perfmodel_arch* arch,
                    unsigned implementation, int worker);

// Called before the value on the node is used; the value has been copied there. Converts the value,
// or waits for the thread that does. `converter`: nullptr on the program's thread. Ends the program
// with a message if the codelet has no function for it.
void MakeOwnLayout(Residency& residency, const Converter* converter, Handle* handle, unsigned node);
// Called before the value on the node is written without being read.
void WillWriteOwnLayout(Handle* handle, unsigned node);

}  // namespace tasklens::runtime
