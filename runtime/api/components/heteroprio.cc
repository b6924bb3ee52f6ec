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

using Component = starpu_sched_component;

struct Waiting {
  Mutex lock;
  // By priority, the highest first; then by the speedup of an accelerator over a CPU.
  std::map<int, std::multimap<double, Job*>, std::greater<>> jobs GUARDED_BY(lock);
  std::atomic<size_t> size{0};
};
Waiting& WaitingOf(Component* component) { return *static_cast<Waiting*>(component->data); }

// Combined workers count as CPUs.
bool IsCpu(int id) {
  const Worker* worker = Runtime::Instance()->worker(id);
  return !worker || worker->kind == STARPU_CPU_WORKER;
}

// The speedup of an accelerator over a CPU; 1 if not known yet.
double AccelerationOf(Component* component, starpu_task* task) {
  Candidates candidates;
  FindCandidates(Runtime::Instance()->host(), ExistingJob(task), component->tree->sched_ctx_id,
                 /*with_energy=*/false, candidates);
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

// Takes the best task for `to`; among equals, the oldest.
starpu_task* Take(Waiting& waiting, Component* to) {
  const int first = to ? starpu_bitmap_first(&to->workers_in_ctx) : -1;
  const bool is_cpu = first < 0 || IsCpu(first);
  const auto runs = [to](const auto& one) {
    return !to || starpu_sched_component_can_execute_task(to, one.second->task) != 0;
  };
  MutexLock guard(waiting.lock);
  for (auto level = waiting.jobs.begin(); level != waiting.jobs.end(); ++level) {
    auto& jobs = level->second;
    auto found = std::find_if(jobs.begin(), jobs.end(), runs);
    if (found == jobs.end()) continue;
    if (!is_cpu) {
      const double most = std::find_if(jobs.rbegin(), jobs.rend(), runs)->first;
      found = std::find_if(jobs.lower_bound(most), jobs.end(), runs);
    }
    starpu_task* const task = found->second->task;
    jobs.erase(found);
    if (jobs.empty()) waiting.jobs.erase(level);
    --waiting.size;
    return task;
  }
  return nullptr;
}

void PutIn(Component* component, starpu_task* task) {
  const double acceleration = AccelerationOf(component, task);
  Waiting& waiting = WaitingOf(component);
  MutexLock guard(waiting.lock);
  waiting.jobs[task->priority].emplace(acceleration, ExistingJob(task));
  ++waiting.size;
}

int Push(Component* component, starpu_task* task) {
  PutIn(component, task);
  component->can_pull(component);
  return 0;
}

starpu_task* Pull(Component* component, Component* to) {
  Waiting& waiting = WaitingOf(component);
  if (starpu_task* task = Take(waiting, to)) return task;
  return starpu_sched_component_send_can_push_to_parents(component) ? Take(waiting, to) : nullptr;
}

int CanPush(Component* component, Component* to) {
  return PushWaiting(
      component, to, [&] { return Take(WaitingOf(component), to); },
      [&](starpu_task* task) { PutIn(component, task); });
}

double Load(Component* component) {
  return static_cast<double>(WaitingOf(component).size) +
         starpu_sched_component_estimated_load(component);
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_heteroprio_create(
    starpu_sched_tree* tree, starpu_sched_component_heteroprio_data*) {
  using namespace tasklens::runtime;  // NOLINT: the functions above
  starpu_sched_component* component = NewComponent(tree, "heteroprio", new Waiting);
  component->push_task = Push;
  component->pull_task = Pull;
  component->can_push = CanPush;
  component->estimated_load = Load;
  return component;
}
IS_COMPONENT(heteroprio, push_task, tasklens::runtime::Push)

}  // extern "C"
