// SPDX-License-Identifier: Apache-2.0
// ws: a queue per worker, by priority. A job goes to the worker that made it ready; jobs from
// outside are distributed round robin. A worker without jobs steals from all others in turn,
// starting after its last victim, so that no worker loses all its jobs.
#include <vector>

#include "runtime/sched/worker_queues.h"

namespace tasklens::runtime {
namespace {

class WorkStealingPolicy : public StealingPolicy {
 public:
  WorkStealingPolicy(Host& host, int workers)
      : StealingPolicy(host, workers), thieves_(static_cast<size_t>(workers)) {}

  Job* Pop(int worker) override {
    const size_t count = queues_.count();
    const size_t own = static_cast<size_t>(worker);
    if (Job* job = queues_.Pop(own, worker)) return job;
    size_t& last = thieves_[own].last_victim;
    for (size_t i = 1; i <= count; ++i) {
      const size_t victim = (last + i) % count;
      if (victim == own) continue;
      if (Job* job = queues_.Pop(victim, worker)) {
        last = victim;
        RecordSteal(worker, static_cast<int>(victim));
        return job;
      }
    }
    return nullptr;
  }

 private:
  struct alignas(kCacheLine) Thief {
    size_t last_victim = 0;  // used only by the worker's thread
  };
  std::vector<Thief> thieves_;
};

}  // namespace

const PolicySpec kWsPolicy = {
    "ws",
    "a queue per worker, highest priority first; workers without tasks steal from all in turn",
    [](Host& host, int workers) -> std::unique_ptr<Policy> {
      return std::make_unique<WorkStealingPolicy>(host, workers);
    },
};

}  // namespace tasklens::runtime
