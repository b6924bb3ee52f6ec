// SPDX-License-Identifier: Apache-2.0
// starpu_data_acquire() and its variants: the program itself accesses data. An acquisition is a job
// that ends when the program releases the data.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Waits until the data are available; the caller holds them until ReleaseAcquired(). `kind`: kRead,
// kWrite, kCommute. REQUIRES: the caller is not inside a task.
Job* AcquireBlocking(Handle* handle, AccessKind kind);
void ReleaseAcquired(Job* job);

// The next three are called for the program; `mode` is that of starpu_data_acquire(). They return
// 0, or -EINVAL (with a warning) for a mode that cannot be acquired.
//
// Waits until the data are on the node; returns -EDEADLK within a task.
int AcquireNow(Handle* handle, int node, unsigned mode);
// Calls callback(argument) when the data are on the node. `ordered`: after all earlier tasks, if
// the handle is sequentially consistent. `before`, `after`: set to the id of the acquisition's job
// before the callback runs; nullptr: not wanted.
int AcquireLater(Handle* handle, int node, unsigned mode, void (*callback)(void*), void* argument,
                 bool ordered, long* before = nullptr, long* after = nullptr);
// Does not wait: returns -EAGAIN if the data are in use.
int AcquireOrLeave(Handle* handle, int node, unsigned mode);
// Returns the memory node for the program's `node` (main memory for STARPU_ACQUIRE_NO_NODE); -1 if
// there is no such node.
int AcquiredNode(int node);
// Ends the latest acquisition of the handle.
void ReleaseData(Handle* handle);
// Downgrades the latest acquisition to `mode`: a write acquisition ends, so that later tasks may
// read, and a new acquisition goes on reading. STARPU_NONE releases the data.
void ReleaseDataTo(Handle* handle, unsigned mode);

// Submits a task that copies `source` to `target`; `waits`: until that task has ended. Returns 0,
// or a negative errno (with a warning).
int CopyData(Handle* target, Handle* source, bool waits, void (*callback)(void*), void* argument,
             int priority);

// Submits a control job that calls action(handle, argument) when all earlier tasks have released
// the handle; with kRead, when the earlier tasks that write it have.
void SubmitControl(Handle* handle, AccessKind kind, void (*action)(Handle*, unsigned),
                   unsigned argument = 0);

}  // namespace tasklens::runtime
