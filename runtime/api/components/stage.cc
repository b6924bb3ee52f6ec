// SPDX-License-Identifier: Apache-2.0
// stage: below several components, each a stage. What a child pulls comes from the first stage that
// has something for it, in the order in which they were connected.
#include "runtime/api/components/component.h"

namespace tasklens::runtime {
namespace {

// What a stage has need not be for the child that asks: another one gets it then.
starpu_task* Pull(starpu_sched_component* component, starpu_sched_component* to) {
  while (starpu_task* task = starpu_sched_component_parents_pull_task(component, to)) {
    if (!to || starpu_sched_component_can_execute_task(to, task)) return task;
    if (PushToChildren(component, task, 0) != 0) return task;  // nobody can: the runtime says so
  }
  return nullptr;
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_stage_create(starpu_sched_tree* tree, void*) {
  starpu_sched_component* component = starpu_sched_component_create(tree, "stage");
  component->pull_task = tasklens::runtime::Pull;
  return component;
}
int starpu_sched_component_is_stage(starpu_sched_component* component) {
  return component->pull_task == tasklens::runtime::Pull;
}

}  // extern "C"
