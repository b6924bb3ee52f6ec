// SPDX-License-Identifier: Apache-2.0
// In which order a worker looks for tasks in its scheduling contexts.
#pragma once

#include <starpu_config.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <vector>

namespace tasklens::runtime {

// By priority, the highest first; of those of one priority first the ones in which the policy
// counts tasks for the worker, then by number. Without anybody's word the first context is the
// last. All functions may be called from any thread at once.
class ContextOrder {
 public:
  using Order = std::array<unsigned, STARPU_NMAX_SCHED_CTXS>;

  explicit ContextOrder(int workers) : of_worker_(static_cast<size_t>(workers)) {}

  // Whether it is another one than by number, the first context last.
  bool is_set() const { return is_set_.load(std::memory_order_relaxed); }
  // The worker is in the context from now on.
  void Join(int worker, unsigned context) {
    Place& place = At(worker, context);
    place.priority.store(1);
    place.tasks.store(0);
  }
  void SetPriority(int worker, unsigned context, unsigned priority) {
    At(worker, context).priority.store(priority);
    is_set_.store(true);
  }
  unsigned Priority(int worker, unsigned context) const {
    return of_worker_[static_cast<size_t>(worker)][context].priority.load();
  }
  // Never below 0.
  void Count(int worker, unsigned context, int change) {
    std::atomic<int>& tasks = At(worker, context).tasks;
    int before = tasks.load();
    while (!tasks.compare_exchange_weak(before, std::max(0, before + change))) {
    }
    is_set_.store(true);
  }
  void ResetCount(int worker, unsigned context) { At(worker, context).tasks.store(0); }
  int Counted(int worker, unsigned context) const {
    return of_worker_[static_cast<size_t>(worker)][context].tasks.load();
  }
  // All numbers of contexts.
  Order Of(int worker) const {
    Order order;
    std::iota(order.begin(), order.end(), 0u);
    std::array<std::pair<unsigned, bool>, STARPU_NMAX_SCHED_CTXS> keys;
    for (const unsigned id : order) keys[id] = {Priority(worker, id), Counted(worker, id) > 0};
    std::ranges::stable_sort(order, std::greater<>(), [&keys](unsigned id) { return keys[id]; });
    return order;
  }

 private:
  struct Place {
    std::atomic<unsigned> priority{0};  // of the first context; others begin with 1
    std::atomic<int> tasks{0};
  };
  Place& At(int worker, unsigned context) {
    return of_worker_[static_cast<size_t>(worker)][context];
  }

  std::vector<std::array<Place, STARPU_NMAX_SCHED_CTXS>> of_worker_;
  std::atomic<bool> is_set_{false};
};

}  // namespace tasklens::runtime
