// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/context_interval.h"

#include <algorithm>

#include "runtime/core/contexts.h"
#include "runtime/core/runtime.h"

namespace tasklens::runtime {
namespace {

class Choice {
 public:
  Choice(Runtime& runtime, bool shares) : runtime_(runtime), shares_(shares) {}

  // Takes workers in this order: those that serve only context 0; those that other contexts have
  // beyond their guaranteed minimum, the context with the largest surplus first; then those beyond
  // a context's share of all workers in proportion to the guaranteed minima.
  void Add(starpu_worker_archtype kind, Interval bounds) {
    std::vector<int> taken;
    std::vector<Owner> owners = OwnersOf(kind);
    for (const auto& worker : runtime_.workers()) {
      if (worker->kind != kind || static_cast<int>(taken.size()) >= bounds.most) continue;
      const bool is_free = std::ranges::none_of(owners, [&](const Owner& owner) {
        return std::ranges::count(owner.workers, worker->id) > 0;
      });
      if (is_free) taken.push_back(worker->id);
    }
    while (static_cast<int>(taken.size()) < bounds.least) {
      const auto richest = std::ranges::max_element(owners, {}, &Owner::spare);
      if (richest == owners.end() || richest->spare() <= 0) break;
      Take(*richest, taken);
    }
    int promised = bounds.least;
    for (const Owner& owner : owners) promised += owner.least;
    const double all = static_cast<double>(starpu_worker_get_count_by_type(kind));
    for (Owner& owner : owners) {
      const double share = promised > 0 ? owner.least * all / promised : 0;
      while (static_cast<int>(taken.size()) < bounds.least &&
             static_cast<double>(owner.workers.size()) - share >= 0.5) {
        Take(owner, taken);
      }
    }
    workers.insert(workers.end(), taken.begin(), taken.end());
  }

  std::vector<int> workers;

 private:
  struct Owner {
    unsigned context;
    int least;
    std::vector<int> workers;  // of the kind
    int spare() const { return static_cast<int>(workers.size()) - least; }
  };

  std::vector<Owner> OwnersOf(starpu_worker_archtype kind) const {
    std::vector<Owner> owners;
    for (unsigned id = 1; id < STARPU_NMAX_SCHED_CTXS; ++id) {
      const Context* context = runtime_.contexts().Find(id);
      if (!context) continue;
      const bool is_cpu = kind == STARPU_CPU_WORKER;
      Owner owner{id, is_cpu ? context->least_cpus : context->least_gpus, {}};
      context->workers.Load().ForEach([&](int worker) {
        if (runtime_.worker(worker)->kind == kind) owner.workers.push_back(worker);
      });
      owners.push_back(std::move(owner));
    }
    return owners;
  }

  // Takes the owner's last worker; with `shares_` the owner keeps it as well.
  void Take(Owner& owner, std::vector<int>& taken) {
    const int worker = owner.workers.back();
    owner.workers.pop_back();
    // The worker may be taken already, from another context that shares it.
    if (std::ranges::count(taken, worker)) return;
    taken.push_back(worker);
    WorkerSet one;
    one.Add(worker);
    if (!shares_) runtime_.contexts().RemoveWorkers(runtime_, owner.context, one);
  }

  Runtime& runtime_;
  const bool shares_;
};

}  // namespace
std::vector<int> ChooseWorkers(Runtime& runtime, Interval cpus, Interval gpus, bool shares) {
  Choice choice(runtime, shares);
  choice.Add(STARPU_CPU_WORKER, cpus);
  choice.Add(STARPU_CUDA_WORKER, gpus);
  return std::move(choice.workers);
}

}  // namespace tasklens::runtime
