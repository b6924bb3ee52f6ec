// SPDX-License-Identifier: Apache-2.0
// STARPU_REDUX: each worker accumulates into a copy of its own, in the memory of its node. Data get
// their first value, the neutral element, from the init codelet, which is run where they are
// needed. Who adds the copies to the data: core/reduction.h.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class Residency;

// How contributions are added, and where they begin.
struct ReductionMethods {
  starpu_codelet* redux;
  void* redux_argument;
  starpu_codelet* init;
  void* init_argument;
};
// Of the handle and its parts.
void SetReduction(Handle* handle, const ReductionMethods& methods);

// What `worker` accumulates into: data of its own, without a value before their first use and after
// each reduction. Only by that worker, while its job holds the access.
Handle* ContributionTo(Residency& residency, Handle* handle, int worker);
void FreeReplicates(Residency* residency, Handle* handle);

// A worker's memory, and which function of a codelet it runs.
struct Place {
  unsigned node;
  starpu_worker_archtype kind;
};
// Whether a worker's own codelet function can put the neutral element into memory on its device.
// Else it is made in the main memory and sent there.
bool CanInitializeOn(const Place& place, const Handle* handle);
// Does so, on the worker's thread: in its stream if the function is asynchronous. The memory is
// there, and nobody else uses the handle. REQUIRES: CanInitializeOn().
void InitializeOn(const Place& place, Handle* handle);
// Whether that function only puts its work into the worker's stream.
bool IsInitializedInStream(const Handle* handle);

// Puts a neutral element (init codelet, run on this thread) into the main memory of a handle that
// has no value. False when the handle has no init codelet for CPUs. Readers may come at once.
bool EnsureInitialized(Residency& residency, Handle* handle);

}  // namespace tasklens::runtime
