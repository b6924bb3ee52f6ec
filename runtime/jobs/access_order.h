// SPDX-License-Identifier: Apache-2.0
// Sequential consistency of one value: a job waits for the earlier jobs whose accesses conflict
// with its own.
//
// Accesses of one kind that may run together (reads, commuting ones, contributions to a reduction)
// form a group; a write is a group of its own. Each access waits for the whole group before its
// own.
#pragma once

#include <vector>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class AccessOrder {
 public:
  // Locks of several values are taken in the order of their handles' addresses, all those of a job
  // before it enters any, so that two threads that submit at once see one order.
  Mutex lock;

  // Enters the job's one access to the value behind those before it. The caller is asked to
  //   WaitFor(const JobRef& predecessor)             make the job wait for it;
  //   JobRef Join(const std::vector<JobRef>& group)  make a job without a function that waits for
  //                                                  all of the group, and say which;
  //   bool KeepsEnded()                              say whether it wants to be told of
  //   predecessors
  //                                                  that have ended: they take memory.
  template <class Caller>
  void Enter(AccessKind kind, Job* job, Caller&& caller) REQUIRES(lock);

 private:
  // From here on a new member of a group that many precede waits for one job instead: n + m
  // dependencies in place of n x m.
  static constexpr size_t kJoinThreshold = 16;
  // Members that have ended are forgotten when a group gets this large (and at each doubling).
  static constexpr size_t kPruneThreshold = 64;

  // A group that cannot shrink doubles its room, and is looked at again only when that is full.
  bool IsFull() const REQUIRES(lock) {
    return current_.size() >= kPruneThreshold && current_.size() == current_.capacity();
  }

  AccessKind kind_ GUARDED_BY(lock) = AccessKind::kRead;
  std::vector<JobRef> current_ GUARDED_BY(lock);   // the latest accesses, all of kind_
  std::vector<JobRef> previous_ GUARDED_BY(lock);  // the group before, for which each of them waits
};

template <class Caller>
void AccessOrder::Enter(AccessKind kind, Job* job, Caller&& caller) {
  const bool joins = kind != AccessKind::kWrite && kind == kind_;
  if (!joins) {
    if (!current_.empty()) {
      previous_.swap(current_);
      current_.clear();
    }
    kind_ = kind;
  } else if (previous_.size() > kJoinThreshold && !current_.empty()) {
    previous_.assign(1, caller.Join(previous_));
  }
  for (const JobRef& predecessor : previous_) caller.WaitFor(predecessor);
  if (IsFull() && !caller.KeepsEnded())
    std::erase_if(current_, [](const JobRef& ref) { return ref.HasEnded(); });
  current_.push_back({job, job->id.load(std::memory_order_relaxed)});
}

}  // namespace tasklens::runtime
