// SPDX-License-Identifier: Apache-2.0
// best_implementation: chooses which of a codelet's implementations a task runs. Without
// performance models that is the first which a worker below can run.
#include "runtime/sched/components/component.h"

namespace tasklens::runtime {
namespace {

void Choose(starpu_sched_component* component, starpu_task* task) {
  for (int worker = starpu_bitmap_first(component->workers_in_ctx); worker >= 0;
       worker = starpu_bitmap_next(component->workers_in_ctx, worker)) {
    unsigned implementation;
    if (!starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task,
                                                   &implementation)) {
      continue;
    }
    starpu_task_set_implementation(task, implementation);
    return;
  }
}

int Push(starpu_sched_component* component, starpu_task* task) {
  Choose(component, task);
  return PushToChildren(component, task, 0);
}

starpu_task* Pull(starpu_sched_component* component, starpu_sched_component* to) {
  starpu_task* task = starpu_sched_component_parents_pull_task(component, to);
  if (task) Choose(component, task);
  return task;
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" starpu_sched_component* starpu_sched_component_best_implementation_create(
    starpu_sched_tree* tree, void*) {
  starpu_sched_component* component = starpu_sched_component_create(tree, "best_impl");
  component->push_task = tasklens::runtime::Push;
  component->pull_task = tasklens::runtime::Pull;
  return component;
}
