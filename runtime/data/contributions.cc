// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/contributions.h"

#include "runtime/data/handle.h"
#include "runtime/data/records.h"
#include "runtime/data/residency.h"
#include "runtime/jobs/codelet.h"
#include "runtime/support/message.h"
#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {

void SetReduction(Handle* handle, const ReductionMethods& methods) {
  handle->redux_codelet = methods.redux;
  handle->redux_argument = methods.redux_argument;
  handle->init_codelet = methods.init;
  handle->init_argument = methods.init_argument;
  const bool any = methods.redux || methods.init;
  if (handle->replicates.empty() && any) handle->replicates.resize(STARPU_NMAXWORKERS);
  for (Handle* child : handle->children) SetReduction(child, methods);
}

Handle* ContributionTo(Residency& residency, Handle* handle, int worker) {
  if (handle->replicates.empty()) {
    Fatal(
        "%s is accessed with STARPU_REDUX but has no reduction methods: give it some with "
        "starpu_data_set_reduction_methods()",
        Describe(handle).c_str());
  }
  Handle*& own = handle->replicates[static_cast<size_t>(worker)];
  if (!own) {
    own = NewHandle(&residency, -1, handle->interface, handle->ops, nullptr);
    own->internal = true;
    own->movable = false;
    trace::NewData(own);
  }
  own->init_codelet = handle->init_codelet;
  own->init_argument = handle->init_argument;
  own->is_computed = handle->is_computed;
  return own;
}

void FreeReplicates(Residency* residency, Handle* handle) {
  for (Handle* replicate : handle->replicates) {
    if (replicate) DeleteHandle(residency, replicate);
  }
  handle->replicates.clear();
}

bool CanInitializeOn(const Place& place, const Handle* handle) {
  if (place.node == STARPU_MAIN_RAM || !handle->init_codelet) return false;
  // A simulation computes nothing, so it needs no function.
  return VirtualTime::On() || FunctionFor(place.kind, *handle->init_codelet, 0);
}

bool IsInitializedInStream(const Handle* handle) {
  return handle->init_codelet->cuda_flags[0] & STARPU_CUDA_ASYNC;
}

void InitializeOn(const Place& place, Handle* handle) {
  const starpu_codelet& codelet = *handle->init_codelet;
  starpu_cpu_func_t function = FunctionFor(place.kind, codelet, 0);
  if (VirtualTime::On()) {
    // A simulated device's memory is that of this process.
    if (!function) function = CpuFunction(codelet, 0);
    if (!handle->is_computed) function = nullptr;
  }
  void* buffers[] = {InterfaceOn(handle, place.node)};
  if (function) function(buffers, handle->init_argument);
  handle->initialized = true;
}

bool EnsureInitialized(Residency& residency, Handle* handle) {
  const Residency::Claim claim(residency, handle);
  if (handle->initialized) return true;
  const starpu_cpu_func_t function =
      handle->init_codelet ? CpuFunction(*handle->init_codelet, 0) : nullptr;
  if (!function) return false;
  void* buffers[] = {handle->interface};
  function(buffers, handle->init_argument);
  handle->initialized = true;
  return true;
}

}  // namespace tasklens::runtime
