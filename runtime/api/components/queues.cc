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

template <class JobQueue>
class Queue {
 public:
  // `limits` nullptr: no limits.
  template <class Limits>
  static Component* Create(starpu_sched_tree* tree, const char* name, const Limits* limits) {
    auto* const queue = new Queue;
    if (limits) {
      queue->most_ = limits->ntasks_threshold;
      queue->most_us_ = limits->exp_len_threshold;
      queue->ready_ = limits->ready;
    }
    Component* component = NewKeeper(tree, name, queue, Push);
    component->pull_task = Pull;
    component->estimated_end = End;
    return component;
  }

  static int Push(Component* component, starpu_task* task) {
    if (!DataOf<Queue>(component).Add(task)) return 1;
    component->can_pull(component);
    return 0;
  }

  // Takes the first task that a worker below `to` can run.
  starpu_task* Take(Component* to) {
    const auto is_for_it = [to](Job* candidate) {
      return !to || starpu_sched_component_can_execute_task(to, candidate->task);
    };
    MutexLock guard(lock_);
    Job* job = ready_ ? PopWithData(is_for_it) : nullptr;
    if (!job) job = jobs_.Pop(is_for_it);
    if (!job) return nullptr;
    Count(*job, -1);
    return job->task;
  }
  void PutBack(starpu_task* task) {
    MutexLock guard(lock_);
    jobs_.PushFront(ExistingJob(task));
    Count(*ExistingJob(task), 1);
  }
  size_t size() const { return size_; }

 private:
  // Returns false if the queue is full.
  bool Add(starpu_task* task) {
    MutexLock guard(lock_);
    if ((most_ && size_ >= most_) || (most_us_ > 0 && length_us_ >= most_us_)) return false;
    jobs_.Push(ExistingJob(task));
    Count(*ExistingJob(task), 1);
    starpu_push_task_end(task);
    return true;
  }
  void Count(const Job& job, int jobs) REQUIRES(lock_) {
    size_ += static_cast<size_t>(jobs);
    length_us_ = size_ ? length_us_ + jobs * QueuedLengthUs(*job.task) : 0;
  }

  // Takes the first task whose data are on the calling worker's node; in a priority queue, among
  // those of the highest priority that `accepts` allows.
  template <class Accepts>
  Job* PopWithData(Accepts&& accepts) REQUIRES(lock_) {
    const Worker* const self = ThisThread().worker;
    if (!self) return nullptr;
    std::optional<int> highest;
    return jobs_.Pop([&](Job* candidate) {
      if (!accepts(candidate)) return false;
      if (!highest) highest = candidate->task->priority;
      const bool is_in_turn =
          std::is_same_v<JobQueue, FifoQueue> || candidate->task->priority == *highest;
      return is_in_turn && HasItsData(*candidate->task, self->node);
    });
  }

  static starpu_task* Pull(Component* component, Component* to) {
    Queue& queue = DataOf<Queue>(component);
    starpu_task* task = queue.Take(to);
    // There is room now, or the queue is empty: components above may push.
    const int pushed = starpu_sched_component_send_can_push_to_parents(component);
    return task || !pushed ? task : queue.Take(to);
  }

  static double End(Component* component) {
    return starpu_sched_component_estimated_end_min_add(component,
                                                        DataOf<Queue>(component).LengthUs());
  }
  double LengthUs() {
    MutexLock guard(lock_);
    return length_us_;
  }

  unsigned most_ = 0;   // 0: no limit
  double most_us_ = 0;  // 0: no limit
  bool ready_ = false;  // prefer tasks whose data are in place
  Mutex lock_;
  JobQueue jobs_ GUARDED_BY(lock_);
  std::atomic<size_t> size_{0};
  double length_us_ GUARDED_BY(lock_) = 0;  // expected length of its tasks
};

using Fifo = Queue<FifoQueue>;
using Prio = Queue<PriorityQueue>;

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
