// SPDX-License-Identifier: Apache-2.0
// The program as a user of data: starpu_data_acquire() is a job that ends with the release.
#pragma once

#include "runtime/core/job.h"

namespace tasklens::runtime {

// Waits until the data is there; the caller has it until ReleaseAcquired(). `kind`: kRead, kWrite,
// kCommute. Not from inside a task.
Job* AcquireBlocking(Handle* handle, AccessKind kind);
void ReleaseAcquired(Job* job);

// Ends the handle's life: records it, forgets its address, frees it and its plans.
void Forget(Handle* handle);

}  // namespace tasklens::runtime
