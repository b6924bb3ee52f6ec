// SPDX-License-Identifier: Apache-2.0
// stage: below several components, each a stage. A child pulls from the first stage that has a task
// for it, in the order in which the stages were connected.
#include "runtime/api/components/component.h"

namespace tasklens::runtime {
namespace {

// A pulled task may not suit the pulling child: then another child gets it.
starpu_task* Pull(starpu_sched_component* component, starpu_sched_component* to) {
  while (starpu_task* task = starpu_sched_component_parents_pull_task(component, to)) {
    if (!to || starpu_sched_component_can_execute_task(to, task)) return task;
    // If no child can run the task, the runtime reports that.
    if (PushToChildren(component, task, 0) != 0) return task;
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
IS_COMPONENT(stage, pull_task, tasklens::runtime::Pull)

}  // extern "C"
