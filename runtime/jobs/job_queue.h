// SPDX-License-Identifier: Apache-2.0
// Queues of jobs, linked through Job::next. Not locked.
#pragma once

#include <algorithm>
#include <climits>
#include <vector>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// First in, first out.
class FifoQueue {
 public:
  void Push(Job* job) {
    job->next = nullptr;
    (last_ ? last_->next : first_) = job;
    (last_ ? last_->next_task : first_task_) = job->task;
    last_ = job;
  }
  void PushFront(Job* job) {
    job->next = first_;
    job->next_task = first_task_;
    first_ = job;
    first_task_ = job->task;
    if (!last_) last_ = job;
  }
  // Removes and returns the first job for which accepts(job) is true, or nullptr.
  template <class Accepts>
  Job* Pop(Accepts&& accepts) {
    Job* before = nullptr;
    for (Job* job = first_; job; before = job, job = job->next) {
      if (!accepts(job)) continue;
      (before ? before->next : first_) = job->next;
      (before ? before->next_task : first_task_) = job->next_task;
      if (last_ == job) last_ = before;
      if (first_) FetchFirst();
      job->next = nullptr;
      return job;
    }
    return nullptr;
  }
  // Moves all jobs of `others` to the end of this queue.
  void Append(FifoQueue& others) {
    if (others.empty()) return;
    if (!first_) others.FetchFirst();
    (last_ ? last_->next : first_) = others.first_;
    (last_ ? last_->next_task : first_task_) = others.first_task_;
    last_ = others.last_;
    others = {};
  }
  bool empty() const { return !first_; }

 private:
  // (The address of its task comes from the job before it, as its own memory is not cached yet.)
  void FetchFirst() const {
    FetchSoon(first_);
    FetchSoon(first_task_);
  }
  Job* first_ = nullptr;
  Job* last_ = nullptr;
  const starpu_task* first_task_ = nullptr;
};

// Highest priority first; first in, first out among equals.
class PriorityQueue {
 public:
  void Push(Job* job) { LevelOf(job->task->priority).Push(job); }
  // Moves all of `jobs` here. REQUIRES: they have this priority.
  void Append(FifoQueue& jobs, int priority) { LevelOf(priority).Append(jobs); }
  // Puts the job before all others of its priority.
  void PushFront(Job* job) { LevelOf(job->task->priority).PushFront(job); }
  template <class Accepts>
  Job* Pop(Accepts&& accepts) {
    for (Level& level : levels_) {
      if (level.jobs.empty()) continue;
      if (Job* job = level.jobs.Pop(accepts)) return job;
    }
    return nullptr;
  }
  // The priority of the first job; INT_MIN if the queue is empty.
  int HighestPriority() const {
    for (const Level& level : levels_)
      if (!level.jobs.empty()) return level.priority;
    return INT_MIN;
  }

 private:
  static constexpr size_t kManyLevels = 64;
  struct Level {
    int priority;
    FifoQueue jobs;
  };

  FifoQueue& LevelOf(int priority) {
    // Levels are sorted in descending order, so that Pop() begins at the front. Programs use few
    // priorities, mostly the same one again.
    if (latest_ >= levels_.size() || levels_[latest_].priority != priority) {
      auto it = std::lower_bound(levels_.begin(), levels_.end(), priority,
                                 [](const Level& level, int p) { return level.priority > p; });
      if (it == levels_.end() || it->priority != priority) {
        if (levels_.size() >= kManyLevels) {
          std::erase_if(levels_, [](const Level& level) { return level.jobs.empty(); });
          it = std::lower_bound(levels_.begin(), levels_.end(), priority,
                                [](const Level& level, int p) { return level.priority > p; });
        }
        it = levels_.insert(it, Level{priority, {}});
      }
      latest_ = static_cast<size_t>(it - levels_.begin());
    }
    return levels_[latest_].jobs;
  }

  std::vector<Level> levels_;
  size_t latest_ = 0;
};

}  // namespace tasklens::runtime
