// SPDX-License-Identifier: Apache-2.0
// A queue per worker, by priority: what lws, ws and random keep their jobs in.
#pragma once

#include <atomic>
#include <climits>
#include <utility>
#include <vector>

#include "runtime/jobs/job_queue.h"
#include "runtime/sched/policy.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// Each queue has two parts, each with its own lock and cache lines: jobs are pushed into the newer
// part and taken from the older one. Takers look into the newer part only when the older one is
// empty or a job with a higher priority was pushed; they then move all newer jobs to the older
// part. So threads that push and threads that take rarely contend.
class WorkerQueues {
 public:
  WorkerQueues(Host& host, int workers) : host_(host), queues_(static_cast<size_t>(workers)) {}

  size_t count() const { return queues_.size(); }

  void Push(size_t queue_index, Job* job) {
    Queue& queue = queues_[queue_index];
    const int priority = job->task->priority;
    MutexLock guard(queue.newer.lock);
    if (queue.newer.jobs.empty()) {
      queue.newer.priority = priority;
      queue.newer.are_equal = true;
    } else if (priority != queue.newer.priority) {
      queue.newer.are_equal = false;
    }
    queue.newer.jobs.Push(job);
    queue.newer.size.store(queue.newer.size.load(std::memory_order_relaxed) + 1);
    if (priority > queue.highest_pushed.load(std::memory_order_relaxed))
      queue.highest_pushed.store(priority, std::memory_order_relaxed);
  }

  // Returns the first job of a queue that `worker` can run, or nullptr.
  Job* Pop(size_t queue_index, int worker) {
    Queue& queue = queues_[queue_index];
    if (queue.older.size.load() == 0 && queue.Size() == 0) return nullptr;
    MutexLock guard(queue.older.lock);
    const auto can_run = [&](Job* candidate) { return host_.CanRun(worker, candidate); };
    if (queue.highest_pushed.load(std::memory_order_relaxed) > queue.older.jobs.HighestPriority())
      queue.MoveOver();
    Job* job = queue.older.jobs.Pop(can_run);
    if (!job && queue.MoveOver()) job = queue.older.jobs.Pop(can_run);
    if (job) queue.older.Add(size_t{0} - 1);
    return job;
  }

  size_t Size(size_t queue_index) const { return queues_[queue_index].Size(); }
  size_t Size() const {
    size_t size = 0;
    for (const Queue& queue : queues_) size += queue.Size();
    return size;
  }

 private:
  struct Queue {
    struct alignas(kCacheLine) {
      Mutex lock;
      int priority = 0;  // of all jobs, if are_equal
      bool are_equal = true;
      FifoQueue jobs;
      std::atomic<size_t> size{0};
    } newer;
    struct alignas(kCacheLine) {
      Mutex lock;  // taken before the lock of `newer`
      std::atomic<size_t> size{0};
      PriorityQueue jobs;
      void Add(size_t count) {
        size.store(size.load(std::memory_order_relaxed) + count, std::memory_order_release);
      }
    } older;
    // At least the highest priority in `newer`. Programs use few priorities, so it is mostly read.
    alignas(kCacheLine) std::atomic<int> highest_pushed{INT_MIN};

    // Jobs moved over meanwhile are counted twice, never missed.
    size_t Size() const {
      const size_t newer_size = newer.size.load();
      return newer_size + older.size.load();
    }
    // Moves all newer jobs to the older part. REQUIRES: the lock of `older`. Returns false if there
    // were none.
    bool MoveOver() {
      FifoQueue jobs;
      int priority;
      bool are_equal;
      {
        MutexLock guard(newer.lock);
        if (newer.jobs.empty()) {
          highest_pushed.store(INT_MIN, std::memory_order_relaxed);
          return false;
        }
        jobs = std::exchange(newer.jobs, {});
        priority = newer.priority;
        are_equal = newer.are_equal;
        older.Add(newer.size.load(std::memory_order_relaxed));
        newer.size.store(0, std::memory_order_release);
      }
      if (are_equal) {
        older.jobs.Append(jobs, priority);
      } else {
        while (Job* job = jobs.Pop([](Job*) { return true; })) older.jobs.Push(job);
      }
      return true;
    }
  };
  const Host& host_;
  std::vector<Queue> queues_;
};

}  // namespace tasklens::runtime
