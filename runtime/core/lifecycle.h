// SPDX-License-Identifier: Apache-2.0
// The life of a job, from submission to end. The functions are in the order in which it passes
// them.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

struct Worker;

inline constexpr uint8_t kTypeInternal = STARPU_TASK_TYPE_INTERNAL;
inline constexpr uint8_t kTypeAcquire = STARPU_TASK_TYPE_INTERNAL | STARPU_TASK_TYPE_DATA_ACQUIRE;

// Submits a job: gives it ids, orders its accesses, and starts it when all its conditions are met.
// REQUIRES: `accesses` and all other fields are filled, and the state is kSubmitted.
void SubmitJob(Job* job);
// Submits an internal job: it is counted, but ordered only if it has accesses.
void SubmitInternal(Job* job);

// Resets a job that has ended for another submission. `next`: kNew, or kSubmitted if that
// submission is under way.
void Recycle(Job* job, JobState next);

// Meets one condition for the job's start. The last one calls Ready().
void ReleaseStart(Job* job);
// Meets one condition for the job's end. The last one ends the job.
void ReleaseEnd(Job* job);

// All dependencies of the job are met: acquires its data, then schedules or ends it. Nested calls
// on one thread are queued and processed by the outermost call, so that long chains of empty jobs
// do not recurse.
void Ready(Job* job);
// While a StartsLater exists, jobs that become ready on this thread are only queued; they start
// when the outermost StartsLater is destroyed.
class StartsLater {
 public:
  StartsLater();
  ~StartsLater();
  StartsLater(const StartsLater&) = delete;
  StartsLater& operator=(const StartsLater&) = delete;

 private:
  const bool outermost_;
};
// To be called before this thread waits: starts the jobs that it has queued, since the thread may
// be about to wait for them.
void LetQueuedGoOn();

// The job's function has returned (or it has none).
void FunctionEnded(Job* job);
// Ends a control job; `on_ready` of control jobs that do nothing else.
void EndControlJob(Job* job);

// Add a job to, and remove it from, the jobs that starpu_task_wait_for_all() waits for.
void CountIn(Job* job);
void CountOut(Job* job);

}  // namespace tasklens::runtime
