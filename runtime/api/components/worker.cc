// SPDX-License-Identifier: Apache-2.0
// The leaf of a worker: keeps the tasks pushed to it, and pulls from above when it has none.
#include <algorithm>
#include <string>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/sched/candidates.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

struct Leaf {
  int worker;
  unsigned context;
  Mutex lock;
  FifoQueue jobs GUARDED_BY(lock);
  size_t size GUARDED_BY(lock) = 0;
  double length_us GUARDED_BY(lock) = 0;         // expected length of its jobs
  double running_until_us GUARDED_BY(lock) = 0;  // expected end of the task pulled last
};

int Push(Component* component, starpu_task* task) {
  Leaf& leaf = DataOf<Leaf>(component);
  {
    MutexLock guard(leaf.lock);
    leaf.jobs.Push(ExistingJob(task));
    ++leaf.size;
    leaf.length_us += QueuedLengthUs(*task);
    starpu_push_task_end(task);
  }
  component->can_pull(component);
  return 0;
}

// Returns the next task of the worker itself, or else of the components above.
starpu_task* Next(Leaf& leaf, Component* component, Component* to) {
  {
    MutexLock guard(leaf.lock);
    leaf.running_until_us = 0;
    if (Job* job = leaf.jobs.Pop([](Job*) { return true; })) {
      --leaf.size;
      leaf.length_us = leaf.size ? leaf.length_us - QueuedLengthUs(*job->task) : 0;
      return job->task;
    }
  }
  return starpu_sched_component_parents_pull_task(component, to);
}

starpu_task* Pull(Component* component, Component* to) {
  Leaf& leaf = DataOf<Leaf>(component);
  starpu_task* const task = Next(leaf, component, to);
  if (!task) return nullptr;
  MutexLock guard(leaf.lock);
  leaf.running_until_us = starpu_timing_now() + QueuedLengthUs(*task);
  return task;
}

double End(Component* component) {
  Leaf& leaf = DataOf<Leaf>(component);
  MutexLock guard(leaf.lock);
  return std::max(starpu_timing_now(), leaf.running_until_us) + leaf.length_us;
}

int CanPull(Component* component) {
  return starpu_wake_worker_relax_light(DataOf<Leaf>(component).worker);
}

double Load(Component* component) {
  Leaf& leaf = DataOf<Leaf>(component);
  MutexLock guard(leaf.lock);
  return static_cast<double>(leaf.size);
}

void Deinit(Component* component) {
  Leaf* leaf = &DataOf<Leaf>(component);
  ForgetLeaf(Runtime::Get("starpu_sched_component_destroy"), leaf->context, leaf->worker,
             component);
  delete leaf;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_worker_new(unsigned context, int worker) {
  Runtime& runtime = Runtime::Get(__func__);
  PolicyContext* of_id = runtime.policy_context(context);
  if (const std::vector<int>* members = runtime.CombinedWorker(worker); members && of_id) {
    std::vector<unsigned> ids(members->begin(), members->end());
    return of_id->leaves[static_cast<size_t>(worker)] =
               starpu_sched_component_parallel_worker_create(
                   starpu_sched_tree_get(context), static_cast<unsigned>(ids.size()), ids.data());
  }
  if (!of_id || !runtime.worker(worker)) {
    Fatal("starpu_sched_component_worker_new(): there is no worker %d in context %u", worker,
          context);
  }
  const std::string name = "worker " + std::to_string(worker);
  starpu_sched_component* component =
      NewComponent(starpu_sched_tree_get(context), name.c_str(), Push, Pull);
  component->data = new Leaf{.worker = worker, .context = context};
  starpu_bitmap_set(&component->workers, worker);
  component->can_pull = CanPull;
  component->estimated_load = Load;
  component->estimated_end = End;
  component->deinit_data = Deinit;
  of_id->leaves[static_cast<size_t>(worker)] = component;
  return component;
}
starpu_sched_component* starpu_sched_component_worker_get(unsigned context, int worker) {
  Runtime& runtime = Runtime::Get(__func__);
  PolicyContext* of_id = runtime.policy_context(context);
  if (of_id && (runtime.worker(worker) || runtime.CombinedWorker(worker))) {
    if (auto* known = of_id->leaves[static_cast<size_t>(worker)]) return known;
  }
  return starpu_sched_component_worker_new(context, worker);
}

int starpu_sched_component_is_worker(starpu_sched_component* component) {
  return starpu_sched_component_is_simple_worker(component) ||
         starpu_sched_component_is_combined_worker(component);
}
IS_COMPONENT(simple_worker, push_task, Push)
int starpu_sched_component_worker_get_workerid(starpu_sched_component* component) {
  if (!starpu_sched_component_is_worker(component)) {
    Fatal("starpu_sched_component_worker_get_workerid(): '%s' is no worker", component->name);
  }
  return starpu_bitmap_first(&component->workers);
}

void starpu_sched_component_worker_pre_exec_hook(starpu_task*, unsigned) {}
void starpu_sched_component_worker_post_exec_hook(starpu_task*, unsigned) {}

}  // extern "C"
