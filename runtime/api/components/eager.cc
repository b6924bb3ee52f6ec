// SPDX-License-Identifier: Apache-2.0
// eager: gives a task to the first child that accepts it.
// stage: below several components, each a stage. A child pulls from the first stage that has a task
// for it, in the order in which the stages were connected.
#include "runtime/api/components/component.h"

namespace tasklens::runtime {
namespace {

int Push(Component* component, starpu_task* task) { return PushToChildren(component, task, 0); }

// A task from above can be run by some child, but perhaps not by the one that pulls: then another
// child gets it.
starpu_task* Pull(Component* component, Component* to) {
  while (starpu_task* task = starpu_sched_component_parents_pull_task(component, to)) {
    if (!to || starpu_sched_component_can_execute_task(to, task)) return task;
    // If no child can run the task, the runtime reports that.
    if (PushToChildren(component, task, 0) != 0) return task;
  }
  return nullptr;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_eager_create(starpu_sched_tree* tree, void*) {
  return NewComponent(tree, "eager", Push, Pull);
}
IS_COMPONENT(eager, push_task, Push)

starpu_sched_component* starpu_sched_component_stage_create(starpu_sched_tree* tree, void*) {
  starpu_sched_component* component = starpu_sched_component_create(tree, "stage");
  component->pull_task = Pull;
  return component;
}
int starpu_sched_component_is_stage(starpu_sched_component* component) {
  return component->pull_task == Pull && !starpu_sched_component_is_eager(component);
}

}  // extern "C"
