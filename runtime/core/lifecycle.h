// SPDX-License-Identifier: Apache-2.0
// From submission to end: what happens to a job, in this order.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

struct Worker;

inline constexpr uint8_t kTypeInternal = STARPU_TASK_TYPE_INTERNAL;
inline constexpr uint8_t kTypeAcquire = STARPU_TASK_TYPE_INTERNAL | STARPU_TASK_TYPE_DATA_ACQUIRE;

// Accepts a job: gives it ids, orders its accesses, and lets it start when nothing is missing.
// `accesses` and everything else is filled, and its state is kSubmitted.
void SubmitJob(Job* job);
// Submits a job of the runtime's own: no checks, counted, not ordered unless it has accesses.
void SubmitInternal(Job* job);

// Makes a job that has ended ready for another submission, or makes it that.
void Recycle(Job* job, JobState next);

// One condition less between a submitted job and its start. The last one makes it Ready().
void ReleaseStart(Job* job);
// One condition less before its end counts. The last one ends it.
void ReleaseEnd(Job* job);

// All dependencies of the job are met: acquires its data, then schedules or ends it. Nested calls
// on one thread are queued and worked off by the outermost, so that long chains of empty jobs do
// not recurse.
void Ready(Job* job);
// For the time of a block, jobs that become ready on this thread do not start: they do so at its
// end, unless there is another one around it.
class StartsLater {
 public:
  StartsLater();
  ~StartsLater();
  StartsLater(const StartsLater&) = delete;
  StartsLater& operator=(const StartsLater&) = delete;

 private:
  const bool outermost_;
};
// This thread is about to wait, perhaps in a callback of the outermost: those that it has queued
// go on first, as they may be waited for.
void LetQueuedGoOn();

// The job's function has returned (or it has none).
void FunctionEnded(Job* job);
// on_ready of control jobs that have nothing to do.
void EndControlJob(Job* job);

// What makes a job a member of starpu_task_wait_for_all()'s set.
void CountIn(Job* job);
void CountOut(Job* job);

}  // namespace tasklens::runtime
