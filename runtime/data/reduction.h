// SPDX-License-Identifier: Apache-2.0
// STARPU_REDUX: each worker accumulates into a copy of its own; the copies are added to the data,
// one after the other, before the next other access.
#pragma once

#include "runtime/core/job.h"

namespace tasklens::runtime {

// The interface into which `worker` accumulates, with the neutral element in it at first use. Only
// by that worker, while its job holds the access.
void* ContributionInterface(Handle* handle, int worker);

// Submits the reduction codelet for every contribution. The handle is held exclusively for it and
// is released, out of `reducing`, when the last one has run.
void StartReduction(Handle* handle);

// Puts a neutral element (init codelet, run on this thread) into a handle that has no value. False
// when the handle has no init codelet for CPUs. Readers may come at once.
bool EnsureInitialized(Handle* handle);

void FreeReplicates(Handle* handle);

}  // namespace tasklens::runtime
