// SPDX-License-Identifier: Apache-2.0
// eager_prio: keeps tasks by priority, and gives each to the first child that accepts it.
#include "runtime/api/components/waiting_tasks.h"

namespace tasklens::runtime {
namespace {

using Component = starpu_sched_component;

WaitingTasks& WaitingOf(Component* component) {
  return *static_cast<WaitingTasks*>(component->data);
}

// Pushes tasks down; returns whether any was pushed.
bool Progress(Component* component) {
  WaitingTasks& waiting = WaitingOf(component);
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
  WaitingOf(component).Push(task);
  // If no child accepts it, it stays here to be pulled.
  if (!Progress(component)) component->can_pull(component);
  return 0;
}

starpu_task* Pull(Component* component, Component* to) {
  WaitingTasks& waiting = WaitingOf(component);
  if (starpu_task* task = waiting.Take(to)) return task;
  return starpu_sched_component_send_can_push_to_parents(component) ? waiting.Take(to) : nullptr;
}

// Behind a task that no child accepts, there may be tasks for the child that has room.
int CanPush(Component* component, Component* to) {
  WaitingTasks& waiting = WaitingOf(component);
  const bool any = Progress(component);
  return PushWaiting(
             component, to, [&] { return waiting.Take(to); },
             [&](starpu_task* task) { waiting.PutBack(task); }) ||
         any;
}

double Load(Component* component) {
  return static_cast<double>(WaitingOf(component).size()) +
         starpu_sched_component_estimated_load(component);
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_eager_prio_create(starpu_sched_tree* tree, void*) {
  using namespace tasklens::runtime;  // NOLINT: the functions above
  starpu_sched_component* component = NewComponent(tree, "eager_prio", new WaitingTasks);
  component->push_task = Push;
  component->pull_task = Pull;
  component->can_push = CanPush;
  component->estimated_load = Load;
  return component;
}
IS_COMPONENT(eager_prio, push_task, tasklens::runtime::Push)

}  // extern "C"
