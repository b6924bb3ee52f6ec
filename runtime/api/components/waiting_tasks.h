// SPDX-License-Identifier: Apache-2.0
// The tasks that a component keeps, by priority. All functions may be called by several threads.
#pragma once

#include <atomic>
#include <cstddef>

#include "runtime/api/components/component.h"
#include "runtime/jobs/job_queue.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

class WaitingTasks {
 public:
  void Push(starpu_task* task) {
    MutexLock guard(lock_);
    jobs_.Push(ExistingJob(task));
    ++size_;
    starpu_push_task_end(task);
  }
  // Puts a task that was taken in front of others of its priority.
  void PutBack(starpu_task* task) {
    MutexLock guard(lock_);
    jobs_.PushFront(ExistingJob(task));
    ++size_;
  }
  // Takes the first task that `to` can run; with NULL, the first one. NULL if there is none.
  starpu_task* Take(Component* to) {
    MutexLock guard(lock_);
    Job* const job = jobs_.Pop([to](Job* candidate) {
      return !to || starpu_sched_component_can_execute_task(to, candidate->task);
    });
    if (!job) return nullptr;
    --size_;
    return job->task;
  }
  size_t size() const { return size_; }

 private:
  Mutex lock_;
  PriorityQueue jobs_ GUARDED_BY(lock_);
  std::atomic<size_t> size_{0};
};

}  // namespace tasklens::runtime
