// SPDX-License-Identifier: Apache-2.0
// best_implementation: chooses the implementation that a task runs, for the first worker below that
// can run any: one that the performance model has not measured yet, else the one expected to be
// fastest.
#include <cmath>

#include "runtime/api/components/component.h"

namespace tasklens::runtime {
namespace {

// Chooses the implementation for the worker or combined worker; returns whether it can run the
// task.
bool ChooseFor(int worker, starpu_task* task) {
  const auto id = static_cast<unsigned>(worker);
  bool any = false;
  double least_us = 0;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!starpu_combined_worker_can_execute_task(id, task, i)) continue;
    const double length_us = starpu_worker_expected_length(task, id, i);
    if (any && (std::isnan(least_us) || !(std::isnan(length_us) || length_us < least_us))) continue;
    any = true;
    least_us = length_us;
    starpu_task_set_implementation(task, i);
  }
  return any;
}

void Choose(Component* component, starpu_task* task) {
  for (int worker = starpu_bitmap_first(&component->workers_in_ctx); worker >= 0;
       worker = starpu_bitmap_next(&component->workers_in_ctx, worker)) {
    if (ChooseFor(worker, task)) return;
  }
}

int Push(Component* component, starpu_task* task) {
  Choose(component, task);
  return PushToChildren(component, task, 0);
}

starpu_task* Pull(Component* component, Component* to) {
  starpu_task* task = starpu_sched_component_parents_pull_task(component, to);
  if (task) Choose(component, task);
  return task;
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" starpu_sched_component* starpu_sched_component_best_implementation_create(
    starpu_sched_tree* tree, void*) {
  using namespace tasklens::runtime;  // NOLINT: its functions
  return NewComponent(tree, "best_impl", Push, Pull);
}
