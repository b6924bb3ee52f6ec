// SPDX-License-Identifier: Apache-2.0
// work_stealing: a queue for each child; children without tasks steal from others.
#include <atomic>
#include <deque>

#include "runtime/api/components/waiting_tasks.h"

namespace tasklens::runtime {
namespace {

struct Queues {
  std::deque<WaitingTasks> of_child;  // in the order of component->children
  std::atomic<unsigned> next{0};
};

void AddChild(Component* component, Component* child) {
  starpu_sched_component_add_child(component, child);
  DataOf<Queues>(component).of_child.emplace_back();
}

unsigned IndexOf(const Component* component, const Component* child) {
  unsigned index = 0;
  while (index < component->nchildren && component->children[index] != child) ++index;
  return index;
}

// The index of the queue above the calling worker; nchildren if there is none.
unsigned OwnQueue(const Component* component) {
  const int worker = starpu_worker_get_id();
  unsigned index = 0;
  if (worker < 0) return component->nchildren;
  while (index < component->nchildren &&
         !starpu_bitmap_get(&component->children[index]->workers_in_ctx, worker)) {
    ++index;
  }
  return index;
}

int Push(Component* component, starpu_task* task) {
  Queues& queues = DataOf<Queues>(component);
  if (component->nchildren == 0) return 1;
  unsigned index = OwnQueue(component);
  if (index == component->nchildren)
    index = queues.next.fetch_add(1, std::memory_order_relaxed) % component->nchildren;
  queues.of_child[index].Push(task);
  component->can_pull(component);
  return 0;
}

// Takes a task for `to`: from its own queue, then from those of the next children, cyclically.
starpu_task* Take(Component* component, Component* to) {
  Queues& queues = DataOf<Queues>(component);
  const unsigned own = IndexOf(component, to);
  for (unsigned i = 0; i < component->nchildren; ++i) {
    WaitingTasks& queue = queues.of_child[(own + i) % component->nchildren];
    if (queue.size() == 0) continue;
    if (starpu_task* const task = queue.Take(to)) return task;
  }
  return nullptr;
}

starpu_task* Pull(Component* component, Component* to) {
  if (starpu_task* task = Take(component, to)) return task;
  return starpu_sched_component_parents_pull_task(component, to);
}

// Called when a child that is a queue has room.
int CanPush(Component* component, Component* to) {
  return PushWaiting(
      component, to, [&] { return Take(component, to); },
      [&](starpu_task* task) {
        DataOf<Queues>(component).of_child[IndexOf(component, to)].PutBack(task);
      });
}

double Load(Component* component) {
  double load = starpu_sched_component_estimated_load(component);
  for (const WaitingTasks& queue : DataOf<Queues>(component).of_child)
    load += static_cast<double>(queue.size());
  return load;
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_work_stealing_create(starpu_sched_tree* tree,
                                                                    void*) {
  using namespace tasklens::runtime;  // NOLINT: its functions
  starpu_sched_component* component = NewComponent(tree, "work_stealing", new Queues, Push, Pull);
  component->add_child = AddChild;
  component->can_push = CanPush;
  component->estimated_load = Load;
  // Any child may take a task.
  component->can_pull = starpu_sched_component_can_pull_all;
  return component;
}
IS_COMPONENT(work_stealing, push_task, tasklens::runtime::Push)
int starpu_sched_tree_work_stealing_push_task(starpu_task* task) {
  const int worker = starpu_worker_get_id();
  if (worker < 0) return starpu_sched_tree_push_task(task);
  starpu_sched_component* at = starpu_sched_component_worker_get(task->sched_ctx, worker);
  while (at->nparents > 0 && !starpu_sched_component_is_work_stealing(at)) at = at->parents[0];
  if (!starpu_sched_component_is_work_stealing(at)) return starpu_sched_tree_push_task(task);
  return starpu_sched_component_push_task(nullptr, at, task);
}

}  // extern "C"
