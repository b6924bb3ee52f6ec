// SPDX-License-Identifier: Apache-2.0
// STARPU_REDUX: each worker accumulates into a copy of its own, in the memory of its node. Each
// copy starts as the neutral element, made by the init codelet on the node that needs the copy.
// core/reduction.h adds the copies to the data.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class Residency;

// The codelets of starpu_data_set_reduction_methods(): `redux` adds a contribution, `init` makes
// the neutral element.
struct ReductionMethods {
  starpu_codelet* redux;
  void* redux_argument;
  starpu_codelet* init;
  void* init_argument;
};
// Sets the methods of the handle and of its parts.
void SetReduction(Handle* handle, const ReductionMethods& methods);

// Returns the data into which `worker` accumulates. They have no value before their first use and
// after each reduction. Called only by that worker, while its job holds the access.
Handle* ContributionTo(Residency& residency, Handle* handle, int worker);
void FreeReplicates(Residency* residency, Handle* handle);

// A worker's memory node, and the kind of codelet function that the worker runs.
struct Place {
  unsigned node;
  starpu_worker_archtype kind;
};
// Whether the worker's init function can write the neutral element into the memory of its device.
// If not, the element is made in the main memory and copied there.
bool CanInitializeOn(const Place& place, const Handle* handle);
// Writes the neutral element, on the worker's thread; in the worker's stream if the function is
// asynchronous. The memory is allocated, and nobody else uses the handle. REQUIRES:
// CanInitializeOn().
void InitializeOn(const Place& place, Handle* handle);
// Whether the init function is asynchronous: it only enqueues work into the worker's stream.
bool IsInitializedInStream(const Handle* handle);

// Runs the init codelet on this thread, to write the neutral element into the main memory of a
// handle without a value. Returns false if the handle has no init codelet for CPUs. Other threads
// may read the value as soon as it is written.
bool EnsureInitialized(Residency& residency, Handle* handle);

}  // namespace tasklens::runtime
