// SPDX-License-Identifier: Apache-2.0
// The order in which a worker looks for tasks in its scheduling contexts.
#pragma once

#include <starpu_config.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <vector>

namespace tasklens::runtime {

// Sorts contexts by priority, the highest first; among equals, contexts whose policy counts tasks
// for the worker come first, then the smaller id. By default context 0 comes last. All functions
// may be called from any thread.
class ContextOrder {
 public:
  using Order = std::array<unsigned, STARPU_NMAX_SCHED_CTXS>;

  explicit ContextOrder(int workers) : of_worker_(static_cast<size_t>(workers)) {}

  // False while the order is the default one: by id, context 0 last.
  bool is_set() const { return is_set_.load(std::memory_order_relaxed); }
  // The worker joins the context.
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
  // Adds `change` to the number of tasks counted for the worker, which never falls below 0.
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
  // Returns the ids of all possible contexts in the worker's order.
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
    std::atomic<unsigned> priority{0};  // 0 for context 0; other contexts begin with 1
    std::atomic<int> tasks{0};
  };
  Place& At(int worker, unsigned context) {
    return of_worker_[static_cast<size_t>(worker)][context];
  }

  std::vector<std::array<Place, STARPU_NMAX_SCHED_CTXS>> of_worker_;
  std::atomic<bool> is_set_{false};
};

}  // namespace tasklens::runtime
