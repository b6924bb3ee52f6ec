// SPDX-License-Identifier: Apache-2.0
// The program as a user of data: starpu_data_acquire() is a job that ends with the release.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Waits until the data is there; the caller has it until ReleaseAcquired(). `kind`: kRead, kWrite,
// kCommute. Not from inside a task.
Job* AcquireBlocking(Handle* handle, AccessKind kind);
void ReleaseAcquired(Job* job);

// Submits action(handle, argument), for when all earlier tasks are done with the handle, or those
// that write it when `kind` is kRead.
void SubmitControl(Handle* handle, AccessKind kind, void (*action)(Handle*, unsigned),
                   unsigned argument = 0);

}  // namespace tasklens::runtime
