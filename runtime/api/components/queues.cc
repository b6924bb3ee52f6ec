// SPDX-License-Identifier: Apache-2.0
// fifo and prio: a queue between components, unbounded or bounded.
#include <atomic>
#include <optional>
#include <type_traits>

#include "runtime/api/components/component.h"
#include "runtime/core/task_data.h"
#include "runtime/jobs/job_queue.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/sched/candidates.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

using Component = starpu_sched_component;

template <class JobQueue>
struct QueueKind {
  struct Data {
    unsigned most;   // 0: no limit
    double most_us;  // 0: no limit
    bool ready;      // prefer tasks whose data are in place
    Mutex lock;
    JobQueue jobs GUARDED_BY(lock);
    std::atomic<size_t> size{0};
    double length_us GUARDED_BY(lock) = 0;  // expected length of its tasks
    bool IsFull() const REQUIRES(lock) {
      return (most && size >= most) || (most_us > 0 && length_us >= most_us);
    }
    void Count(const Job& job, int jobs) REQUIRES(lock) {
      size += static_cast<size_t>(jobs);
      length_us = size ? length_us + jobs * QueuedLengthUs(*job.task) : 0;
    }
  };
  static Data& Of(Component* component) { return *static_cast<Data*>(component->data); }

  static int Push(Component* component, starpu_task* task) {
    Data& data = Of(component);
    {
      MutexLock guard(data.lock);
      if (data.IsFull()) return 1;
      data.jobs.Push(ExistingJob(task));
      data.Count(*ExistingJob(task), 1);
      starpu_push_task_end(task);
    }
    component->can_pull(component);
    return 0;
  }

  // Takes the first task whose data are on the calling worker's node; in a priority queue, among
  // those of the highest priority that `accepts` allows.
  template <class Accepts>
  static Job* PopWithData(JobQueue& jobs, Accepts&& accepts) {
    const Worker* const self = ThisThread().worker;
    if (!self) return nullptr;
    std::optional<int> highest;
    return jobs.Pop([&](Job* candidate) {
      if (!accepts(candidate)) return false;
      if (!highest) highest = candidate->task->priority;
      const bool is_in_turn =
          std::is_same_v<JobQueue, FifoQueue> || candidate->task->priority == *highest;
      return is_in_turn && HasItsData(*candidate->task, self->node);
    });
  }

  // Takes the first task that a worker below `to` can run.
  static starpu_task* Take(Data& data, Component* to) {
    const auto is_for_it = [to](Job* candidate) {
      return !to || starpu_sched_component_can_execute_task(to, candidate->task);
    };
    MutexLock guard(data.lock);
    Job* job = data.ready ? PopWithData(data.jobs, is_for_it) : nullptr;
    if (!job) job = data.jobs.Pop(is_for_it);
    if (!job) return nullptr;
    data.Count(*job, -1);
    return job->task;
  }

  static starpu_task* Pull(Component* component, Component* to) {
    Data& data = Of(component);
    starpu_task* task = Take(data, to);
    // There is room now, or the queue is empty: components above may push.
    const int pushed = starpu_sched_component_send_can_push_to_parents(component);
    return task || !pushed ? task : Take(data, to);
  }

  static int CanPush(Component* component, Component* to) {
    Data& data = Of(component);
    return PushWaiting(
        component, to, [&] { return Take(data, to); },
        [&](starpu_task* task) {
          MutexLock guard(data.lock);
          data.jobs.PushFront(ExistingJob(task));
          data.Count(*ExistingJob(task), 1);
        });
  }

  static double Load(Component* component) {
    return static_cast<double>(Of(component).size) +
           starpu_sched_component_estimated_load(component);
  }

  static double End(Component* component) {
    Data& data = Of(component);
    double length_us;
    {
      MutexLock guard(data.lock);
      length_us = data.length_us;
    }
    return starpu_sched_component_estimated_end_min_add(component, length_us);
  }

  // `limits` nullptr: no limits.
  template <class Limits>
  static Component* Create(starpu_sched_tree* tree, const char* name, const Limits* limits) {
    Component* component = NewComponent(tree, name,
                                        new Data{.most = limits ? limits->ntasks_threshold : 0,
                                                 .most_us = limits ? limits->exp_len_threshold : 0,
                                                 .ready = limits && limits->ready});
    component->push_task = Push;
    component->pull_task = Pull;
    component->can_push = CanPush;
    component->estimated_load = Load;
    component->estimated_end = End;
    return component;
  }
};

using Fifo = QueueKind<FifoQueue>;
using Prio = QueueKind<PriorityQueue>;

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_fifo_create(starpu_sched_tree* tree,
                                                           starpu_sched_component_fifo_data* data) {
  return Fifo::Create(tree, "fifo", data);
}
IS_COMPONENT(fifo, push_task, Fifo::Push)
starpu_sched_component* starpu_sched_component_prio_create(starpu_sched_tree* tree,
                                                           starpu_sched_component_prio_data* data) {
  return Prio::Create(tree, "prio", data);
}
IS_COMPONENT(prio, push_task, Prio::Push)

}  // extern "C"
