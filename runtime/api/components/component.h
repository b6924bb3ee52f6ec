// SPDX-License-Identifier: Apache-2.0
// Internal helpers shared by the components; the public part is starpu_sched_component.h.
#pragma once

#include <starpu_sched_component.h>

namespace tasklens::runtime {

class Runtime;

using Component = starpu_sched_component;

using PushTask = int(Component*, starpu_task*);
using PullTask = starpu_task*(Component*, Component*);

// Makes a component with these functions.
inline Component* NewComponent(starpu_sched_tree* tree, const char* name, PushTask* push,
                               PullTask* pull) {
  Component* const component = starpu_sched_component_create(tree, name);
  component->push_task = push;
  component->pull_task = pull;
  return component;
}
// The same of one that owns `data`.
template <class Data>
Component* NewComponent(starpu_sched_tree* tree, const char* name, Data* data, PushTask* push,
                        PullTask* pull = starpu_sched_component_parents_pull_task) {
  Component* const component = NewComponent(tree, name, push, pull);
  component->data = data;
  component->deinit_data = [](Component* one) { delete static_cast<Data*>(one->data); };
  return component;
}

template <class Data>
Data& DataOf(Component* component) {
  return *static_cast<Data*>(component->data);
}

// Called when the component of a worker or combined worker is destroyed.
void ForgetLeaf(Runtime& runtime, unsigned context, int worker, Component* component);

// Pushes the task to the first child that can run it and accepts it, trying them from `first` on,
// cyclically. Returns 0 or 1, as push_task.
int PushToChildren(Component* component, starpu_task* task, unsigned first);

// push_task and pull_task of a component that chooses a child for each task. A pulled task for
// another child than `to` is pushed to that one.
template <Component* (*kChoose)(Component*, starpu_task*)>
int PushToChosen(Component* component, starpu_task* task) {
  return starpu_sched_component_push_task(component, kChoose(component, task), task);
}
template <Component* (*kChoose)(Component*, starpu_task*)>
starpu_task* PullIfChosen(Component* component, Component* to) {
  while (starpu_task* task = starpu_sched_component_parents_pull_task(component, to)) {
    if (kChoose(component, task) == to || PushToChosen<kChoose>(component, task) != 0) return task;
  }
  return nullptr;
}

// The first child with that worker in its context, or nullptr.
Component* ChildAbove(const Component& component, int worker);

// Calls function(id) for each worker of the set.
template <class Function>
void ForEachWorker(starpu_bitmap* workers, Function&& function) {
  for (int id = starpu_bitmap_first(workers); id >= 0; id = starpu_bitmap_next(workers, id))
    function(id);
}

// The memory node of a worker or combined worker.
unsigned NodeOf(int worker);
// The STARPU_SCHED_COMPONENT_... properties of the context's workers below the component.
int PropertiesOf(Component* component);

// can_push for a component that keeps tasks: pushes the tasks that take() returns to `to`, until
// there is none or one is refused; that one is passed to put_back(task).
template <class Take, class PutBack>
int PushWaiting(Component* component, Component* to, Take take, PutBack put_back) {
  int moved = 0;
  while (starpu_task* task = take()) {
    if (starpu_sched_component_push_task(component, to, task) != 0) {
      put_back(task);
      return moved;
    }
    moved = 1;
  }
  // No task is left, so there is room for more.
  return starpu_sched_component_send_can_push_to_parents(component) || moved;
}

// estimated_load of a component whose data have the size() of what it keeps.
template <class Data>
double LoadOf(Component* component) {
  return static_cast<double>(DataOf<Data>(component).size()) +
         starpu_sched_component_estimated_load(component);
}
// can_push of one whose data have Take(to), which returns the next task that `to` can run (nullptr:
// the next one), and PutBack(task).
template <class Data>
int PushKept(Component* component, Component* to) {
  Data& data = DataOf<Data>(component);
  return PushWaiting(
      component, to, [&] { return data.Take(to); }, [&](starpu_task* task) { data.PutBack(task); });
}
template <class Data>
starpu_task* PullKept(Component* component, Component* to) {
  Data& data = DataOf<Data>(component);
  if (starpu_task* task = data.Take(to)) return task;
  return starpu_sched_component_send_can_push_to_parents(component) ? data.Take(to) : nullptr;
}
// Makes a component with these functions.
template <class Data>
Component* NewKeeper(starpu_sched_tree* tree, const char* name, Data* data, PushTask* push) {
  Component* const component = NewComponent(tree, name, data, push, PullKept<Data>);
  component->can_push = PushKept<Data>;
  component->estimated_load = LoadOf<Data>;
  return component;
}

}  // namespace tasklens::runtime

// Defines starpu_sched_component_is_NAME(): a component is known by one of its functions.
#define IS_COMPONENT(name, member, function)                                \
  int starpu_sched_component_is_##name(starpu_sched_component* component) { \
    return component->member == function;                                   \
  }
