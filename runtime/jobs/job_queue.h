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
  // The first job for which `accepts(job)` is true, or nullptr.
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
  // All of `others`, which is empty then.
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
  // (Where its task is says the job before it: its own memory is still to come.)
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
  // All of `jobs`, which have this priority.
  void Append(FifoQueue& jobs, int priority) { LevelOf(priority).Append(jobs); }
  // Before all of its priority.
  void PushFront(Job* job) { LevelOf(job->task->priority).PushFront(job); }
  template <class Accepts>
  Job* Pop(Accepts&& accepts) {
    for (Level& level : levels_) {
      if (level.jobs.empty()) continue;
      if (Job* job = level.jobs.Pop(accepts)) return job;
    }
    return nullptr;
  }
  // Of the first job. INT_MIN when there is none.
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
    // Descending, so that Pop begins at the front. Programs use few different priorities, and
    // mostly the one they used just before.
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
