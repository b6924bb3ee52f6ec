// SPDX-License-Identifier: Apache-2.0
// eager_prio: keeps tasks by priority, and gives each to the first child that accepts it.
#include <atomic>

#include "runtime/api/components/component.h"
#include "runtime/jobs/job_queue.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

using Component = starpu_sched_component;

struct Waiting {
  Mutex lock;
  PriorityQueue jobs GUARDED_BY(lock);
  std::atomic<size_t> size{0};
};

Waiting& WaitingOf(Component* component) { return *static_cast<Waiting*>(component->data); }

// Takes the first task that `to` can run; with NULL, the first one.
starpu_task* Take(Waiting& waiting, Component* to) {
  MutexLock guard(waiting.lock);
  Job* job = waiting.jobs.Pop([to](Job* candidate) {
    return !to || starpu_sched_component_can_execute_task(to, candidate->task);
  });
  if (!job) return nullptr;
  --waiting.size;
  return job->task;
}

void PutBack(Waiting& waiting, starpu_task* task) {
  MutexLock guard(waiting.lock);
  waiting.jobs.PushFront(ExistingJob(task));
  ++waiting.size;
}

// Pushes tasks down; returns whether any was pushed.
bool Progress(Component* component) {
  Waiting& waiting = WaitingOf(component);
  bool any = false;
  while (starpu_task* task = Take(waiting, nullptr)) {
    if (PushToChildren(component, task, 0) != 0) {
      PutBack(waiting, task);
      return any;
    }
    any = true;
  }
  return any;
}

int Push(Component* component, starpu_task* task) {
  Waiting& waiting = WaitingOf(component);
  {
    MutexLock guard(waiting.lock);
    waiting.jobs.Push(ExistingJob(task));
    ++waiting.size;
    starpu_push_task_end(task);
  }
  // If no child accepts it, it stays here to be pulled.
  if (!Progress(component)) component->can_pull(component);
  return 0;
}

starpu_task* Pull(Component* component, Component* to) {
  if (starpu_task* task = Take(WaitingOf(component), to)) return task;
  return starpu_sched_component_send_can_push_to_parents(component) ? Take(WaitingOf(component), to)
                                                                    : nullptr;
}

// Behind a task that no child accepts, there may be tasks for the child that has room.
int CanPush(Component* component, Component* to) {
  Waiting& waiting = WaitingOf(component);
  const bool any = Progress(component);
  return PushWaiting(
             component, to, [&] { return Take(waiting, to); },
             [&](starpu_task* task) { PutBack(waiting, task); }) ||
         any;
}

double Load(Component* component) {
  return static_cast<double>(WaitingOf(component).size) +
         starpu_sched_component_estimated_load(component);
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component* starpu_sched_component_eager_prio_create(starpu_sched_tree* tree, void*) {
  using namespace tasklens::runtime;  // NOLINT: the functions above
  starpu_sched_component* component = starpu_sched_component_create(tree, "eager_prio");
  component->data = new Waiting;
  component->push_task = Push;
  component->pull_task = Pull;
  component->can_push = CanPush;
  component->estimated_load = Load;
  component->deinit_data = [](starpu_sched_component* one) { delete &WaitingOf(one); };
  return component;
}
int starpu_sched_component_is_eager_prio(starpu_sched_component* component) {
  return component->push_task == tasklens::runtime::Push;
}

}  // extern "C"
