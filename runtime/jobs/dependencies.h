// SPDX-License-Identifier: Apache-2.0
// Dependencies between jobs: jobs that must end before another may start, or may end. All functions
// may be called from any thread.
#pragma once

#include <vector>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Makes the start of `successor` wait for the end of `predecessor`. Returns false if that has
// ended. REQUIRES: the successor is not ready yet.
bool AddDependency(const JobRef& predecessor, Job* successor);
// The same for the end of the successor.
bool AddEndDependency(const JobRef& predecessor, Job* successor);
// The same between two tasks that may be submitted repeatedly: see LastingDependencies.
bool AddLastingDependency(Job* predecessor, Job* successor);
// Called at submission: makes the job wait for an end of each of its lasting predecessors.
// REQUIRES: it has some.
void WaitForLasting(Job* job);

// Meets one of the conditions for a start or an end. Returns whether it was the last one: the
// caller must then start or end the job. The holder of the last condition is alone with the job, so
// a load suffices, which is faster than a decrement.
inline bool MeetOne(std::atomic<int32_t>& conditions) {
  return conditions.load(std::memory_order_acquire) == 1 ||
         conditions.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// A copy of a job's lasting successors, and the key by which they know the job.
struct LastingEnd {
  uint64_t key = 0;
  std::vector<LastingSuccessor> successors;
};
// Marks the job as done and returns its lasting successors at this moment. A copy, since released
// jobs may declare more successors or submit the job again. Later successors do not wait for this
// end.
inline LastingEnd MarkDone(Job* job) {
  MutexLock guard(job->lock);
  job->done.store(true, std::memory_order_release);
  if (!job->lasting) [[likely]]
    return {};
  return {job->lasting_key, job->lasting->successors};
}
// Reports an end to a lasting successor. Returns whether that met a condition for its start.
bool MeetLasting(const LastingSuccessor& successor, uint64_t key);

// Marks a job as done and calls start(successor) for each successor whose start has one condition
// less, and end(successor) for each whose end has.
template <class Start, class End>
void ReleaseSuccessors(Job* job, Start&& start, End&& end) {
  const LastingEnd lasting = MarkDone(job);
  for (const LastingSuccessor& successor : lasting.successors) {
    if (MeetLasting(successor, lasting.key)) start(successor.job);
  }
  // No thread adds to the list any more.
  for (const uintptr_t entry : job->successors) {
    Job* const successor = reinterpret_cast<Job*>(entry & ~uintptr_t{1});
    entry & 1 ? end(successor) : start(successor);
  }
}

}  // namespace tasklens::runtime
