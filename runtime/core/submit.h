// SPDX-License-Identifier: Apache-2.0
// starpu_task_submit(): checks a task and turns it into a submitted job.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// kNoDependencies: another task, which has not ended, holds the data for this one. This one neither
// waits for the data nor acquires them, but keeps their handles alive.
enum class Ordering { kFull, kNoDependencies };

// As documented for starpu_task_submit().
int SubmitTask(starpu_task* task, const Site& site, Ordering ordering = Ordering::kFull);

// Submits a job that has run again: its task regenerates, or was submitted by its own callback.
void SubmitAgain(Job* job);

// Adds a handle to the sorted accesses of a job. If it is there already, the two accesses are
// merged into the stronger one.
void AddAccess(Job* job, Handle* handle, AccessKind kind, bool ordered);

// Sleeps until the job has ended.
void WaitForJob(Job* job);

}  // namespace tasklens::runtime
