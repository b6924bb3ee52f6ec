// SPDX-License-Identifier: Apache-2.0
// best_implementation: chooses which of a codelet's implementations a task runs, of those that the
// first worker below can run that runs any: one that its model does not know yet, else the one that
// is expected to take least.
#include <cmath>

#include "runtime/core/eligibility.h"
#include "runtime/core/runtime.h"
#include "runtime/perfmodel/models.h"
#include "runtime/sched/components/component.h"

namespace tasklens::runtime {
namespace {

// Whether the worker can run the task.
bool ChooseFor(const Worker& worker, starpu_task* task) {
  bool any = false;
  double least_us = 0;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!starpu_worker_can_execute_task(static_cast<unsigned>(worker.id), task, i)) continue;
    const double length_us = ExpectedCost(task->cl->model, task, worker.arch, i, worker.id);
    if (any && (std::isnan(least_us) || !(std::isnan(length_us) || length_us < least_us))) continue;
    any = true;
    least_us = length_us;
    starpu_task_set_implementation(task, i);
  }
  return any;
}

void Choose(starpu_sched_component* component, starpu_task* task) {
  for (int worker = starpu_bitmap_first(component->workers_in_ctx); worker >= 0;
       worker = starpu_bitmap_next(component->workers_in_ctx, worker)) {
    if (ChooseFor(*Runtime::Instance()->worker(worker), task)) return;
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
