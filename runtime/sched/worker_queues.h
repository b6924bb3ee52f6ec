// SPDX-License-Identifier: Apache-2.0
// A queue per worker, by priority: what lws, ws and random share.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/core/sync.h"
#include "runtime/sched/job_queue.h"
#include "runtime/sched/policy.h"

namespace tasklens::runtime {

class WorkerQueues {
 public:
  explicit WorkerQueues(int workers) : queues_(static_cast<size_t>(workers)) {}

  size_t count() const { return queues_.size(); }

  void Push(size_t queue_index, Job* job) {
    Queue& queue = queues_[queue_index];
    std::lock_guard guard(queue.lock);
    queue.jobs.Push(job);
    queue.size.store(queue.size.load(std::memory_order_relaxed) + 1);
  }

  // The first job of a queue that `worker` can run, or nullptr.
  Job* Pop(size_t queue_index, int worker) {
    Queue& queue = queues_[queue_index];
    if (queue.size.load() == 0) return nullptr;
    std::lock_guard guard(queue.lock);
    Job* job = queue.jobs.Pop([worker](Job* candidate) { return CanRun(worker, candidate); });
    if (job) queue.size.store(queue.size.load(std::memory_order_relaxed) - 1);
    return job;
  }

  size_t Size(size_t queue_index) const { return queues_[queue_index].size.load(); }
  size_t Size() const {
    size_t size = 0;
    for (const Queue& queue : queues_) size += queue.size.load();
    return size;
  }

 private:
  struct alignas(kCacheLine) Queue {
    Mutex lock;
    std::atomic<size_t> size{0};
    PriorityQueue jobs;
  };
  std::vector<Queue> queues_;
};

// Queues from which workers without jobs steal. A job goes to the worker that made it ready; one
// from outside goes round.
class StealingPolicy : public Policy {
 public:
  explicit StealingPolicy(int workers) : queues_(workers) {}

  int Push(Job* job, int from) override {
    const size_t target = from >= 0
                              ? static_cast<size_t>(from)
                              : round_.fetch_add(1, std::memory_order_relaxed) % queues_.count();
    queues_.Push(target, job);
    return kAnyWorker;
  }
  size_t Size() const override { return queues_.Size(); }

 protected:
  WorkerQueues queues_;

 private:
  alignas(kCacheLine) std::atomic<size_t> round_{0};
};

}  // namespace tasklens::runtime
