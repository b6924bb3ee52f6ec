// SPDX-License-Identifier: Apache-2.0
// lws: a queue per worker, by priority. A job goes to the worker that made it ready; one from
// outside goes round. A worker without jobs steals from its neighbours, the nearest first.
#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/core/sync.h"
#include "runtime/core/trace_points.h"
#include "runtime/sched/job_queue.h"
#include "runtime/sched/policy.h"

namespace tasklens::runtime {
namespace {

class LocalityPolicy : public Policy {
 public:
  explicit LocalityPolicy(int workers) : queues_(static_cast<size_t>(workers)) {}

  void Push(Job* job, int from) override {
    const size_t count = queues_.size();
    const size_t target = from >= 0 ? static_cast<size_t>(from)
                                    : round_.fetch_add(1, std::memory_order_relaxed) % count;
    WorkerQueue& queue = queues_[target];
    std::lock_guard guard(queue.lock);
    queue.jobs.Push(job);
    queue.size.store(queue.size.load(std::memory_order_relaxed) + 1);
  }

  Job* Pop(int worker) override {
    const size_t count = queues_.size();
    const size_t own = static_cast<size_t>(worker);
    if (Job* job = PopFrom(own, worker)) return job;
    // Workers are numbered along the machine, so neighbours in number share most.
    for (size_t distance = 1; distance < count; ++distance) {
      const size_t victim = (own + distance) % count;
      if (Job* job = PopFrom(victim, worker)) {
        trace::Steal(worker, static_cast<int>(victim));
        return job;
      }
    }
    return nullptr;
  }

  size_t Size() const override {
    size_t size = 0;
    for (const WorkerQueue& queue : queues_) size += queue.size.load();
    return size;
  }

 private:
  struct alignas(kCacheLine) WorkerQueue {
    Mutex lock;
    std::atomic<size_t> size{0};
    PriorityQueue jobs;
  };

  Job* PopFrom(size_t index, int worker) {
    WorkerQueue& queue = queues_[index];
    if (queue.size.load() == 0) return nullptr;
    std::lock_guard guard(queue.lock);
    Job* job = queue.jobs.Pop([worker](Job* candidate) { return CanRun(worker, candidate); });
    if (job) {
      queue.size.store(queue.size.load(std::memory_order_relaxed) - 1);
    }
    return job;
  }

  std::vector<WorkerQueue> queues_;
  alignas(kCacheLine) std::atomic<size_t> round_{0};
};

}  // namespace

extern const PolicySpec kLwsPolicy;
const PolicySpec kLwsPolicy = {
    "lws",
    "a queue per worker, highest priority first; workers without tasks steal from neighbours",
    [](int workers) -> std::unique_ptr<Policy> {
      return std::make_unique<LocalityPolicy>(workers);
    },
};

}  // namespace tasklens::runtime
