// SPDX-License-Identifier: Apache-2.0
// lws and ws: a queue per worker, by priority. A job goes to the worker that made it ready; jobs
// from outside are distributed round robin. A worker without jobs steals from others: with lws from
// its neighbours, the nearest first; with ws from all in turn, starting after its last victim, so
// that no worker loses all its jobs.
#include <array>
#include <vector>

#include "runtime/jobs/thread_state.h"
#include "runtime/recorder/recorder.h"
#include "runtime/sched/worker_queues.h"

namespace tasklens::runtime {
namespace {

template <bool kInTurn>
class StealingPolicy : public Policy {
 public:
  StealingPolicy(Host& host, int workers)
      : queues_(host, workers), thieves_(kInTurn ? static_cast<size_t>(workers) : 0) {}

  int Push(Job* job, int from) override {
    queues_.Push(static_cast<size_t>(from >= 0 ? from : NextInTurn()), job);
    return kAnyWorker;
  }
  Job* Pop(int worker) override {
    const size_t count = queues_.count();
    const size_t own = static_cast<size_t>(worker);
    if (Job* job = queues_.Pop(own, worker)) return job;
    // Workers are numbered along the topology, so workers with near numbers share most caches.
    const size_t start = kInTurn ? thieves_[own].last_victim : own;
    for (size_t distance = 1; distance <= count; ++distance) {
      const size_t victim = (start + distance) % count;
      if (victim == own) continue;
      if (Job* job = queues_.Pop(victim, worker)) {
        if (kInTurn) thieves_[own].last_victim = victim;
        Record<EventKind::kSteal>(static_cast<uint32_t>(worker), static_cast<uint32_t>(victim));
        return job;
      }
    }
    return nullptr;
  }
  size_t Size() const override { return queues_.Size(); }

 private:
  // Each thread (or few threads) has its own counter, because a counter shared by all would cost
  // more than the rest of a push.
  int NextInTurn() {
    std::atomic<uint32_t>& next = next_[ThisThread().counter_slot % next_.size()].queue;
    const uint32_t queue = next.load(std::memory_order_relaxed);
    next.store(queue + 1 < queues_.count() ? queue + 1 : 0, std::memory_order_relaxed);
    return static_cast<int>(queue);
  }
  struct alignas(kCacheLine) Next {
    std::atomic<uint32_t> queue{0};
  };
  struct alignas(kCacheLine) Thief {
    size_t last_victim = 0;  // used only by the worker's thread
  };

  WorkerQueues queues_;
  std::array<Next, 16> next_;
  std::vector<Thief> thieves_;  // of ws
};

}  // namespace

const PolicySpec kLwsPolicy = {
    "lws",
    "a queue per worker, highest priority first; workers without tasks steal from neighbours",
    MakePolicy<StealingPolicy</*kInTurn=*/false>>};
const PolicySpec kWsPolicy = {
    "ws",
    "a queue per worker, highest priority first; workers without tasks steal from all in turn",
    MakePolicy<StealingPolicy</*kInTurn=*/true>>};

}  // namespace tasklens::runtime
