// SPDX-License-Identifier: Apache-2.0
// Dependencies between jobs: which have to end before another may start, or may end. Any thread.
#pragma once

#include <vector>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Makes `successor` wait for the end of `predecessor` if that is still to come; false when it has
// ended. The successor must not be ready yet.
bool AddDependency(const JobRef& predecessor, Job* successor);
// The same for the end of the successor.
bool AddEndDependency(const JobRef& predecessor, Job* successor);
// The same between two tasks that may be submitted again and again: see LastingDependencies.
bool AddLastingDependency(Job* predecessor, Job* successor);
// At a submission: the job waits until there is an end of each of its lasting predecessors. It has
// some.
void WaitForLasting(Job* job);

// Meets one of the conditions of a start or an end. Whether it was the last one: the caller then
// starts or ends the job. Who holds the last one is alone with the job, so that nothing has to be
// counted down, which takes longer than to look.
inline bool MeetOne(std::atomic<int32_t>& conditions) {
  return conditions.load(std::memory_order_acquire) == 1 ||
         conditions.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// Lasting successors of a job, by value, and the key by which they know it.
struct LastingEnd {
  uint64_t key = 0;
  std::vector<LastingSuccessor> successors;
};
// The same, from now on: who is released may declare more, or submit the job again. Nobody waits
// for this end of it any more who did not before.
inline LastingEnd MarkDone(Job* job) {
  MutexLock guard(job->lock);
  job->done.store(true, std::memory_order_release);
  if (!job->lasting) [[likely]]
    return {};
  return {job->lasting_key, job->lasting->successors};
}
// Tells a lasting successor of an end. Whether that met a condition of its start.
bool MeetLasting(const LastingSuccessor& successor, uint64_t key);

// Ends a job for all that wait for it: calls start(successor) for each that has one condition less
// to its start, and end(successor) for each that has one less to its end.
template <class Start, class End>
void ReleaseSuccessors(Job* job, Start&& start, End&& end) {
  const LastingEnd lasting = MarkDone(job);
  for (const LastingSuccessor& successor : lasting.successors) {
    if (MeetLasting(successor, lasting.key)) start(successor.job);
  }
  // Nobody adds to the list any more.
  for (const uintptr_t entry : job->successors) {
    Job* const successor = reinterpret_cast<Job*>(entry & ~uintptr_t{1});
    entry & 1 ? end(successor) : start(successor);
  }
}

}  // namespace tasklens::runtime
