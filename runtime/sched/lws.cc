// SPDX-License-Identifier: Apache-2.0
// lws: a queue per worker, by priority. A job goes to the worker that made it ready; jobs from
// outside are distributed round robin. A worker without jobs steals from its neighbours, the
// nearest first.
#include "runtime/sched/worker_queues.h"

namespace tasklens::runtime {
namespace {

class LocalityPolicy : public StealingPolicy {
 public:
  using StealingPolicy::StealingPolicy;

  Job* Pop(int worker) override {
    const size_t count = queues_.count();
    const size_t own = static_cast<size_t>(worker);
    if (Job* job = queues_.Pop(own, worker)) return job;
    // Workers are numbered along the topology, so workers with near numbers share most caches.
    for (size_t distance = 1; distance < count; ++distance) {
      const size_t victim = (own + distance) % count;
      if (Job* job = queues_.Pop(victim, worker)) {
        RecordSteal(worker, static_cast<int>(victim));
        return job;
      }
    }
    return nullptr;
  }
};

}  // namespace

const PolicySpec kLwsPolicy = {
    "lws",
    "a queue per worker, highest priority first; workers without tasks steal from neighbours",
    [](Host& host, int workers) -> std::unique_ptr<Policy> {
      return std::make_unique<LocalityPolicy>(host, workers);
    },
};

}  // namespace tasklens::runtime
