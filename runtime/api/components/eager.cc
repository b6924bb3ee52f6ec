// SPDX-License-Identifier: Apache-2.0
// eager: gives a task to the first child that accepts it.
#include "runtime/api/components/component.h"

namespace tasklens::runtime {
namespace {

int Push(starpu_sched_component* component, starpu_task* task) {
  return PushToChildren(component, task, 0);
}

// A task from above can be run by some child, but perhaps not by the one that pulls.
starpu_task* Pull(starpu_sched_component* component, starpu_sched_component* to) {
  while (starpu_task* task = starpu_sched_component_parents_pull_task(component, to)) {
    if (starpu_sched_component_can_execute_task(to, task)) return task;
    if (Push(component, task) != 0) return task;  // no child can run it: the runtime reports that
  }
  return nullptr;
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_eager_create(starpu_sched_tree* tree, void*) {
  starpu_sched_component* component = starpu_sched_component_create(tree, "eager");
  component->push_task = tasklens::runtime::Push;
  component->pull_task = tasklens::runtime::Pull;
  return component;
}
IS_COMPONENT(eager, push_task, tasklens::runtime::Push)

}  // extern "C"
