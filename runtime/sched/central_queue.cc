// SPDX-License-Identifier: Apache-2.0
// eager, prio, peager and pprio: all workers draw from one queue, first in, first out or highest
// priority first. peager and pprio are for programs with parallel tasks: these go to teams of
// workers and are never pushed (see Policy::ChooseTeam), so all other tasks are treated the same.
#include <atomic>

#include "runtime/jobs/job_queue.h"
#include "runtime/sched/policy.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

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

}  // namespace

const PolicySpec kEagerPolicy = {"eager", "one central queue, first in first out",
                                 MakePolicy<CentralQueuePolicy<FifoQueue>>};
const PolicySpec kPrioPolicy = {"prio", "one central queue, highest priority first",
                                MakePolicy<CentralQueuePolicy<PriorityQueue>>};
const PolicySpec kPeagerPolicy = {
    "peager", "one central queue, first in first out; parallel tasks run on several workers",
    MakePolicy<CentralQueuePolicy<FifoQueue>>};
const PolicySpec kPprioPolicy = {
    "pprio", "one central queue, highest priority first; parallel tasks run on several workers",
    MakePolicy<CentralQueuePolicy<PriorityQueue>>};

}  // namespace tasklens::runtime
