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
  // A job's locks are taken in the order of the handles' addresses, all of them before its first
  // Enter(), so that two threads that submit at once agree on one order.
  Mutex lock;

  // Appends the job's access to the value and makes the job wait for its predecessors. Calls of
  // `caller`:
  //   WaitFor(const JobRef& predecessor)
  //       makes the job wait for it;
  //   JobRef Join(const std::vector<JobRef>& group)
  //       returns a new job without a function that waits for all of the group;
  //   bool KeepsEnded()
  //       whether WaitFor() is also wanted for predecessors that have ended, which costs memory.
  template <class Caller>
  void Enter(AccessKind kind, Job* job, Caller&& caller) REQUIRES(lock);

 private:
  // If the previous group is larger than this, further members of a group wait for one joining job:
  // n + m dependencies instead of n x m.
  static constexpr size_t kJoinThreshold = 16;
  // When a group reaches this size (and at each doubling), members that have ended are removed.
  static constexpr size_t kPruneThreshold = 64;

  // A group that cannot shrink doubles its capacity and is pruned again only when that is full.
  bool IsFull() const REQUIRES(lock) {
    return current_.size() >= kPruneThreshold && current_.size() == current_.capacity();
  }

  AccessKind kind_ GUARDED_BY(lock) = AccessKind::kRead;
  std::vector<JobRef> current_ GUARDED_BY(lock);   // the latest accesses, all of kind_
  std::vector<JobRef> previous_ GUARDED_BY(lock);  // the group before, which each of them waits for
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
