// SPDX-License-Identifier: Apache-2.0
// A tree of components as a policy: tasks enter at the root and leave at the workers.
#include <starpu_sched_component.h>

#include <set>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// Updates `workers` from the leaves up: the union of those of the children.
void UpdateWorkers(Component* component) {
  if (starpu_sched_component_is_worker(component)) return;
  starpu_bitmap_unset_all(&component->workers);
  for (unsigned i = 0; i < component->nchildren; ++i) {
    UpdateWorkers(component->children[i]);
    starpu_bitmap_or(&component->workers, &component->children[i]->workers);
  }
  component->notify_change_workers(component);
}

// A combined worker is in a context with all of its members.
bool IsInContext(int worker, starpu_bitmap* context) {
  const std::vector<int>* members = Runtime::Instance()->CombinedWorker(worker);
  if (!members) return starpu_bitmap_get(context, worker);
  return std::ranges::all_of(*members, [&](int id) { return starpu_bitmap_get(context, id); });
}

void UpdateWorkersInContext(Component* component, starpu_bitmap* context) {
  starpu_bitmap_unset_all(&component->workers_in_ctx);
  ForEachWorker(&component->workers, [&](int worker) {
    if (IsInContext(worker, context)) starpu_bitmap_set(&component->workers_in_ctx, worker);
  });
  component->properties = PropertiesOf(component);
  for (unsigned i = 0; i < component->nchildren; ++i)
    UpdateWorkersInContext(component->children[i], context);
  component->notify_change_workers(component);
}

// `told` avoids calling a component with several parents twice.
void DoSchedule(Component* component, std::set<Component*>& told) {
  if (!told.insert(component).second) return;
  if (component->do_schedule) component->do_schedule(component);
  for (unsigned i = 0; i < component->nchildren; ++i) DoSchedule(component->children[i], told);
}

}  // namespace

int PropertiesOf(Component* component) {
  Runtime& runtime = *Runtime::Instance();
  const Worker* first = nullptr;
  int properties = STARPU_SCHED_COMPONENT_HOMOGENEOUS | STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE;
  ForEachWorker(&component->workers_in_ctx, [&](int id) {
    const Worker* worker = runtime.worker(id);
    if (!worker) return;  // a combined worker: its members are in the set as well
    if (!first) first = worker;
    if (worker->arch != first->arch) properties &= ~STARPU_SCHED_COMPONENT_HOMOGENEOUS;
    if (worker->node != first->node) properties &= ~STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE;
  });
  return first ? properties : 0;
}

}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_tree* starpu_sched_tree_create(unsigned context) {
  auto* tree = new starpu_sched_tree();
  tree->sched_ctx_id = context;
  STARPU_PTHREAD_MUTEX_INIT(&tree->lock, nullptr);
  return tree;
}

void starpu_sched_tree_destroy(starpu_sched_tree* tree) {
  starpu_sched_component_destroy_rec(tree->root);
  STARPU_PTHREAD_MUTEX_DESTROY(&tree->lock);
  delete tree;
}

void starpu_sched_tree_deinitialize(unsigned context) {
  starpu_sched_tree_destroy(starpu_sched_tree_get(context));
  starpu_sched_ctx_set_policy_data(context, nullptr);
}

starpu_sched_tree* starpu_sched_tree_get(unsigned context) {
  return static_cast<starpu_sched_tree*>(starpu_sched_ctx_get_policy_data(context));
}

void starpu_sched_tree_update_workers(starpu_sched_tree* tree) {
  if (tree->root) UpdateWorkers(tree->root);
}
void starpu_sched_tree_update_workers_in_ctx(starpu_sched_tree* tree) {
  if (tree->root) UpdateWorkersInContext(tree->root, &tree->workers);
}

void starpu_sched_tree_add_workers(unsigned context, int* workers, unsigned count) {
  starpu_sched_tree* tree = starpu_sched_tree_get(context);
  if (!tree) {
    Fatal(
        "starpu_sched_tree_add_workers(): the policy has not given its tree "
        "to starpu_sched_ctx_set_policy_data()");
  }
  for (unsigned i = 0; i < count; ++i) starpu_bitmap_set(&tree->workers, workers[i]);
  starpu_sched_tree_update_workers(tree);
  starpu_sched_tree_update_workers_in_ctx(tree);
}
void starpu_sched_tree_remove_workers(unsigned context, int* workers, unsigned count) {
  starpu_sched_tree* tree = starpu_sched_tree_get(context);
  for (unsigned i = 0; i < count; ++i) starpu_bitmap_unset(&tree->workers, workers[i]);
  starpu_sched_tree_update_workers_in_ctx(tree);
}

int starpu_sched_tree_push_task(starpu_task* task) {
  starpu_sched_tree* tree = starpu_sched_tree_get(task->sched_ctx);
  return starpu_sched_component_push_task(nullptr, tree->root, task);
}
starpu_task* starpu_sched_tree_pop_task(unsigned context) {
  const int worker = static_cast<int>(starpu_worker_get_id_check());
  return starpu_sched_component_pull_task(starpu_sched_component_worker_get(context, worker),
                                          nullptr);
}
void starpu_sched_tree_do_schedule(unsigned context) {
  starpu_sched_tree* tree = starpu_sched_tree_get(context);
  std::set<starpu_sched_component*> told;
  if (tree->root) DoSchedule(tree->root, told);
}

}  // extern "C"
