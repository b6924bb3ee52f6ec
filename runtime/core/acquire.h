// SPDX-License-Identifier: Apache-2.0
// The program as a user of data: starpu_data_acquire() is a job that ends with the release.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Waits until the data is there; the caller has it until ReleaseAcquired(). `kind`: kRead, kWrite,
// kCommute. Not from inside a task.
Job* AcquireBlocking(Handle* handle, AccessKind kind);
void ReleaseAcquired(Job* job);

// By the program, with a mode of starpu_data_acquire(). 0, or -EINVAL, with a line, for a mode that
// cannot be acquired.
// Waits until the data are on the node; -EDEADLK within a task.
int AcquireNow(Handle* handle, int node, unsigned mode);
// Calls callback(argument) when they are. `ordered`: after all earlier tasks, where the handle is
// sequentially consistent. `before`, `after`: set to the number of the acquisition, before the
// callback runs; nullptr: not wanted.
int AcquireLater(Handle* handle, int node, unsigned mode, void (*callback)(void*), void* argument,
                 bool ordered, long* before = nullptr, long* after = nullptr);
// -EAGAIN where somebody has them.
int AcquireOrLeave(Handle* handle, int node, unsigned mode);
// The memory node that a program means; -1: there is no such node.
int AcquiredNode(int node);
// Ends the latest acquisition.
void ReleaseData(Handle* handle);
// Ends it, whose place in the order is free then, while another one keeps reading.
void ReleaseDataTo(Handle* handle, unsigned mode);

// Submits a task that copies; `waits`: until it has ended. 0, or the error, with a line.
int CopyData(Handle* target, Handle* source, bool waits, void (*callback)(void*), void* argument,
             int priority);

// Submits action(handle, argument), for when all earlier tasks are done with the handle, or those
// that write it when `kind` is kRead.
void SubmitControl(Handle* handle, AccessKind kind, void (*action)(Handle*, unsigned),
                   unsigned argument = 0);

}  // namespace tasklens::runtime
