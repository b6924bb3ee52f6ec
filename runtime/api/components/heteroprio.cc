// SPDX-License-Identifier: Apache-2.0
// heteroprio: of the tasks of the highest priority, a CPU child gets the one with the smallest
// speedup on an accelerator, and an accelerator child the one with the largest.
#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <map>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/sched/candidates.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

// Combined workers count as CPUs.
bool IsCpu(int id) {
  const Worker* worker = Runtime::Instance()->worker(id);
  return !worker || worker->kind == STARPU_CPU_WORKER;
}

// The speedup of an accelerator over a CPU; 1 if not known yet.
double AccelerationOf(starpu_task* task, unsigned context) {
  Candidates candidates;
  FindCandidates(Runtime::Instance()->host(), ExistingJob(task), context, /*with_energy=*/false,
                 candidates);
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double on_cpu = kNever, elsewhere = kNever;
  bool runs_on_cpu = false, runs_elsewhere = false;
  for (const Candidate& candidate : candidates) {
    const bool is_cpu = IsCpu(candidate.worker);
    (is_cpu ? runs_on_cpu : runs_elsewhere) = true;
    double& least = is_cpu ? on_cpu : elsewhere;
    if (candidate.IsKnown()) least = std::min(least, candidate.length_us);
  }
  if (!runs_elsewhere) return 0;
  if (!runs_on_cpu) return kNever;
  return on_cpu < kNever && elsewhere < kNever ? on_cpu / elsewhere : 1;
}

class Waiting {
 public:
  explicit Waiting(unsigned context) : context_(context) {}

  void PutBack(starpu_task* task) {
    const double acceleration = AccelerationOf(task, context_);
    MutexLock guard(lock_);
    jobs_[task->priority].emplace(acceleration, ExistingJob(task));
    ++size_;
  }
  // Takes the best task for `to`; among equals, the oldest.
  starpu_task* Take(Component* to) {
    const int first = to ? starpu_bitmap_first(&to->workers_in_ctx) : -1;
    const bool is_cpu = first < 0 || IsCpu(first);
    const auto runs = [to](const auto& one) {
      return !to || starpu_sched_component_can_execute_task(to, one.second->task) != 0;
    };
    MutexLock guard(lock_);
    for (auto level = jobs_.begin(); level != jobs_.end(); ++level) {
      auto& jobs = level->second;
      auto found = std::find_if(jobs.begin(), jobs.end(), runs);
      if (found == jobs.end()) continue;
      if (!is_cpu) {
        const double most = std::find_if(jobs.rbegin(), jobs.rend(), runs)->first;
        found = std::find_if(jobs.lower_bound(most), jobs.end(), runs);
      }
      starpu_task* const task = found->second->task;
      jobs.erase(found);
      if (jobs.empty()) jobs_.erase(level);
      --size_;
      return task;
    }
    return nullptr;
  }
  size_t size() const { return size_; }

 private:
  const unsigned context_;
  Mutex lock_;
  // By priority, the highest first; then by the speedup of an accelerator over a CPU.
  std::map<int, std::multimap<double, Job*>, std::greater<>> jobs_ GUARDED_BY(lock_);
  std::atomic<size_t> size_{0};
};

int Push(Component* component, starpu_task* task) {
  DataOf<Waiting>(component).PutBack(task);
  component->can_pull(component);
  return 0;
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_heteroprio_create(
    starpu_sched_tree* tree, starpu_sched_component_heteroprio_data*) {
  using namespace tasklens::runtime;  // NOLINT: the functions above
  return NewKeeper(tree, "heteroprio", new Waiting(tree->sched_ctx_id), Push);
}
IS_COMPONENT(heteroprio, push_task, tasklens::runtime::Push)

}  // extern "C"
