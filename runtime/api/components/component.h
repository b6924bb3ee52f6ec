// SPDX-License-Identifier: Apache-2.0
// What the kinds of components share among themselves; the public part is starpu_sched_component.h.
#pragma once

#include <starpu_sched_component.h>

namespace tasklens::runtime {

// Pushes to the first child, counted from `first` on and round, that can run the task and takes
// it. 0 or 1, as push_task.
int PushToChildren(starpu_sched_component* component, starpu_task* task, unsigned first);

// Calls function(number) for each of a set.
template <class Function>
void ForEachWorker(starpu_bitmap* workers, Function&& function) {
  for (int id = starpu_bitmap_first(workers); id >= 0; id = starpu_bitmap_next(workers, id))
    function(id);
}

// The memory node of a worker, or of a combined one.
unsigned NodeOf(int worker);
// STARPU_SCHED_COMPONENT_... of the workers in the context below.
int PropertiesOf(starpu_sched_component* component);

// can_push of a component with tasks of its own: `to` gets what take() finds until there is none or
// one is refused, which put_back(task) keeps.
template <class Take, class PutBack>
int PushWaiting(starpu_sched_component* component, starpu_sched_component* to, Take take,
                PutBack put_back) {
  int moved = 0;
  while (starpu_task* task = take()) {
    if (starpu_sched_component_push_task(component, to, task) != 0) {
      put_back(task);
      return moved;
    }
    moved = 1;
  }
  // All are gone: there is room for more.
  return starpu_sched_component_send_can_push_to_parents(component) || moved;
}

}  // namespace tasklens::runtime
