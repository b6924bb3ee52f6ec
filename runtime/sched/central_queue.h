// SPDX-License-Identifier: Apache-2.0
// One queue for all workers: the base of eager, prio and peager.
#pragma once

#include <atomic>

#include "runtime/sched/policy.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

template <class Queue>
class CentralQueuePolicy : public Policy {
 public:
  explicit CentralQueuePolicy(Host& host) : host_(host) {}

  int Push(Job* job, int /*from*/) override {
    MutexLock guard(lock_);
    queue_.Push(job);
    size_.store(size_.load(std::memory_order_relaxed) + 1);
    return kAnyWorker;
  }
  Job* Pop(int worker) override {
    if (size_.load() == 0) return nullptr;
    MutexLock guard(lock_);
    Job* job = queue_.Pop([&](Job* candidate) { return host_.CanRun(worker, candidate); });
    if (job) size_.store(size_.load(std::memory_order_relaxed) - 1);
    return job;
  }
  size_t Size() const override { return size_.load(); }

 private:
  const Host& host_;
  Mutex lock_;
  Queue queue_ GUARDED_BY(lock_);
  std::atomic<size_t> size_{0};
};

// The `create` function of its PolicySpec.
template <class Queue>
std::unique_ptr<Policy> MakeCentralQueue(Host& host, int /*workers*/) {
  return std::make_unique<CentralQueuePolicy<Queue>>(host);
}

}  // namespace tasklens::runtime
