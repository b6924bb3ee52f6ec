// SPDX-License-Identifier: Apache-2.0
// STARPU_REDUX: each worker accumulates into a copy of its own, in the memory of its node; the
// copies are added to the data, one after the other, before the next other access. Data get their
// first value, the neutral element, from the init codelet, which is run where they are needed.
#pragma once

#include "runtime/core/worker.h"
#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// What `worker` accumulates into: data of its own, without a value before their first use and after
// each reduction. Only by that worker, while its job holds the access.
Handle* ContributionTo(Handle* handle, int worker);

// Whether a worker's own codelet function can put the neutral element into memory on its device.
// Else it is made in the main memory and sent there.
bool CanInitializeOn(const Worker& worker, const Handle* handle);
// Does so, on the worker's thread: in its stream if the function is asynchronous. The memory is
// there, and nobody else uses the handle. REQUIRES: CanInitializeOn().
void InitializeOn(const Worker& worker, Handle* handle);
// Whether that function only puts its work into the worker's stream.
bool IsInitializedInStream(const Handle* handle);

// Submits the reduction codelet for every contribution. The handle is held exclusively for it and
// is released, out of `reducing`, when the last one has run.
void StartReduction(Handle* handle);

// Puts a neutral element (init codelet, run on this thread) into the main memory of a handle that
// has no value. False when the handle has no init codelet for CPUs. Readers may come at once.
bool EnsureInitialized(Handle* handle);

void FreeReplicates(Handle* handle);

}  // namespace tasklens::runtime
