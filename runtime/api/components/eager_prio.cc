// SPDX-License-Identifier: Apache-2.0
// eager_prio: keeps tasks by priority, and gives each to the first child that accepts it.
#include "runtime/api/components/waiting_tasks.h"

namespace tasklens::runtime {
namespace {

// Pushes tasks down; returns whether any was pushed.
bool Progress(Component* component) {
  WaitingTasks& waiting = DataOf<WaitingTasks>(component);
  bool any = false;
  while (starpu_task* task = waiting.Take(nullptr)) {
    if (PushToChildren(component, task, 0) != 0) {
      waiting.PutBack(task);
      return any;
    }
    any = true;
  }
  return any;
}

int Push(Component* component, starpu_task* task) {
  DataOf<WaitingTasks>(component).Push(task);
  // If no child accepts it, it stays here to be pulled.
  if (!Progress(component)) component->can_pull(component);
  return 0;
}

// Behind a task that no child accepts, there may be tasks for the child that has room.
int CanPush(Component* component, Component* to) {
  const bool any = Progress(component);
  return PushKept<WaitingTasks>(component, to) || any;
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_eager_prio_create(starpu_sched_tree* tree, void*) {
  using namespace tasklens::runtime;  // NOLINT: the functions above
  starpu_sched_component* component = NewKeeper(tree, "eager_prio", new WaitingTasks, Push);
  component->can_push = CanPush;
  return component;
}
IS_COMPONENT(eager_prio, push_task, tasklens::runtime::Push)

}  // extern "C"
