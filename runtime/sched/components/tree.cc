// SPDX-License-Identifier: Apache-2.0
// A tree of components as a policy: tasks enter at the root and leave at the workers.
#include <starpu_sched_component.h>

#include "runtime/core/message.h"
#include "runtime/core/runtime.h"

namespace {

// From the leaves up: what is below a component is what is below its children.
void UpdateWorkers(starpu_sched_component* component) {
  if (starpu_sched_component_is_worker(component)) return;
  starpu_bitmap_unset_all(component->workers);
  for (unsigned i = 0; i < component->nchildren; ++i) {
    UpdateWorkers(component->children[i]);
    starpu_bitmap_or(component->workers, component->children[i]->workers);
  }
  component->notify_change_workers(component);
}

void UpdateWorkersInContext(starpu_sched_component* component, starpu_bitmap* context) {
  starpu_bitmap_unset_and(component->workers_in_ctx, component->workers, context);
  for (unsigned i = 0; i < component->nchildren; ++i) {
    UpdateWorkersInContext(component->children[i], context);
  }
}

}  // namespace

extern "C" {

starpu_sched_tree* starpu_sched_tree_create(unsigned context) {
  auto* tree = new starpu_sched_tree();
  tree->workers = starpu_bitmap_create();
  tree->sched_ctx_id = context;
  STARPU_PTHREAD_MUTEX_INIT(&tree->lock, nullptr);
  return tree;
}

void starpu_sched_tree_destroy(starpu_sched_tree* tree) {
  starpu_sched_component_destroy_rec(tree->root);
  starpu_bitmap_destroy(tree->workers);
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

void starpu_sched_tree_update_workers(starpu_sched_tree* tree) { UpdateWorkers(tree->root); }
void starpu_sched_tree_update_workers_in_ctx(starpu_sched_tree* tree) {
  UpdateWorkersInContext(tree->root, tree->workers);
}

void starpu_sched_tree_add_workers(unsigned context, int* workers, unsigned count) {
  starpu_sched_tree* tree = starpu_sched_tree_get(context);
  if (!tree) {
    tasklens::runtime::Fatal(
        "starpu_sched_tree_add_workers(): the policy has not given its tree "
        "to starpu_sched_ctx_set_policy_data()");
  }
  for (unsigned i = 0; i < count; ++i) starpu_bitmap_set(tree->workers, workers[i]);
  starpu_sched_tree_update_workers(tree);
  starpu_sched_tree_update_workers_in_ctx(tree);
}
void starpu_sched_tree_remove_workers(unsigned context, int* workers, unsigned count) {
  starpu_sched_tree* tree = starpu_sched_tree_get(context);
  for (unsigned i = 0; i < count; ++i) starpu_bitmap_unset(tree->workers, workers[i]);
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

}  // extern "C"
