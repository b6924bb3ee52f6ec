// SPDX-License-Identifier: Apache-2.0
// The queues of tasks of schedulers/starpu_scheduler_toolbox.h.
#include <schedulers/starpu_scheduler_toolbox.h>

#include <vector>

#include "runtime/api/task_deque.h"
#include "runtime/api/task_readiness.h"
#include "runtime/support/message.h"

using tasklens::runtime::Fatal;
using tasklens::runtime::MostReady;
using tasklens::runtime::SetFirstImplementation;
using tasklens::runtime::TaskDeque;

struct starpu_st_fifo_taskq {
  starpu_task_list tasks = {};
  unsigned task_count = 0;  // the policy may add to it
  unsigned processed_count = 0;
  double start_us = starpu_timing_now();
  double end_us = start_us;
  double length_us = 0;
  double pipeline_us = 0;
  // Either empty or TASKLENS_FIFO_PRIORITIES long: few policies ask for them.
  std::vector<unsigned> count_by_priority;
  std::vector<double> length_us_by_priority;

  // The task before which one of this priority has its place, null at the end. The end is looked
  // at first where all tasks have that priority, as they mostly do.
  starpu_task* PlaceOf(int priority) const {
    if (tasks.head && tasks.head->priority == priority && tasks.tail->priority == priority) {
      return nullptr;
    }
    starpu_task* next = tasks.head;
    while (next && next->priority >= priority) next = next->next;
    return next;
  }
  void Insert(starpu_task* task, starpu_task* next) {
    task->next = next;
    task->prev = next ? next->prev : tasks.tail;
    (task->prev ? task->prev->next : tasks.head) = task;
    (next ? next->prev : tasks.tail) = task;
    ++task_count;
  }
  starpu_task* Take(starpu_task* task) {
    starpu_task_list_erase(&tasks, task);
    --task_count;
    return task;
  }
};

namespace {

TaskDeque& Of(starpu_st_prio_deque_t deque) { return *static_cast<TaskDeque*>(deque->tasks); }

// Null stays null.
starpu_task* Take(TaskDeque& deque, starpu_task* task) {
  if (task && !deque.Erase(task)) {
    Fatal("starpu_st_prio_deque: no task of priority %d is in the queue; was it changed there?",
          task->priority);
  }
  return task;
}

// Whether the worker can run a task; notes those that it cannot.
auto CanRun(int worker, starpu_task** skipped) {
  if (skipped) *skipped = nullptr;
  return [worker, skipped](starpu_task* task) {
    if (SetFirstImplementation(task, static_cast<unsigned>(worker))) return true;
    if (skipped) *skipped = task;
    return false;
  };
}

// For a worker that is named, or for any (-1).
bool MayTake(starpu_task* task, int worker) {
  if (worker >= 0) return SetFirstImplementation(task, static_cast<unsigned>(worker));
  starpu_task_set_implementation(task, 0);
  return true;
}

}  // namespace

// Defines the functions that read and set a time of a queue.
#define FIFO_TIME(name, member)                                                            \
  double starpu_st_fifo_##name##_get(starpu_st_fifo_taskq_t fifo) { return fifo->member; } \
  void starpu_st_fifo_##name##_set(starpu_st_fifo_taskq_t fifo, double us) { fifo->member = us; }

extern "C" {

starpu_st_fifo_taskq_t starpu_st_fifo_taskq_create(void) { return new starpu_st_fifo_taskq; }
void starpu_st_fifo_taskq_init(starpu_st_fifo_taskq_t fifo) { *fifo = {}; }
void starpu_st_fifo_taskq_destroy(starpu_st_fifo_taskq_t fifo) { delete fifo; }

int starpu_st_fifo_taskq_empty(starpu_st_fifo_taskq_t fifo) { return fifo->task_count == 0; }
unsigned starpu_st_fifo_ntasks_get(starpu_st_fifo_taskq_t fifo) { return fifo->task_count; }
void starpu_st_fifo_ntasks_inc(starpu_st_fifo_taskq_t fifo, int n) {
  fifo->task_count += static_cast<unsigned>(n);
}
unsigned starpu_st_fifo_nprocessed_get(starpu_st_fifo_taskq_t fifo) {
  return fifo->processed_count;
}
void starpu_st_fifo_nprocessed_inc(starpu_st_fifo_taskq_t fifo, int n) {
  fifo->processed_count += static_cast<unsigned>(n);
}

FIFO_TIME(exp_start, start_us)
FIFO_TIME(exp_end, end_us)
FIFO_TIME(exp_len, length_us)
FIFO_TIME(pipeline_len, pipeline_us)
void starpu_st_fifo_exp_len_inc(starpu_st_fifo_taskq_t fifo, double length_us) {
  fifo->length_us += length_us;
}
void starpu_st_fifo_pipeline_len_inc(starpu_st_fifo_taskq_t fifo, double length_us) {
  fifo->pipeline_us += length_us;
}

unsigned* starpu_st_fifo_ntasks_per_priority_get(starpu_st_fifo_taskq_t fifo) {
  fifo->count_by_priority.resize(TASKLENS_FIFO_PRIORITIES);
  return fifo->count_by_priority.data();
}
double* starpu_st_fifo_exp_len_per_priority_get(starpu_st_fifo_taskq_t fifo) {
  fifo->length_us_by_priority.resize(TASKLENS_FIFO_PRIORITIES);
  return fifo->length_us_by_priority.data();
}

int starpu_st_fifo_taskq_push_sorted_task(starpu_st_fifo_taskq_t fifo, starpu_task* task) {
  fifo->Insert(task, fifo->PlaceOf(task->priority));
  ++fifo->processed_count;
  return 0;
}
int starpu_st_fifo_taskq_push_task(starpu_st_fifo_taskq_t fifo, starpu_task* task) {
  if (task->priority > 0) return starpu_st_fifo_taskq_push_sorted_task(fifo, task);
  fifo->Insert(task, nullptr);
  ++fifo->processed_count;
  return 0;
}
int starpu_st_fifo_taskq_push_back_task(starpu_st_fifo_taskq_t fifo, starpu_task* task) {
  if (task->priority > 0) return starpu_st_fifo_taskq_push_sorted_task(fifo, task);
  fifo->Insert(task, fifo->tasks.head);
  return 0;
}

int starpu_st_fifo_taskq_pop_this_task(starpu_st_fifo_taskq_t fifo, int worker, starpu_task* task) {
  if (!MayTake(task, worker)) return 0;
  fifo->Take(task);
  return 1;
}
starpu_task* starpu_st_fifo_taskq_pop_task(starpu_st_fifo_taskq_t fifo, int worker) {
  for (starpu_task* task = fifo->tasks.head; task; task = task->next) {
    if (MayTake(task, worker)) return fifo->Take(task);
  }
  return nullptr;
}
starpu_task* starpu_st_fifo_taskq_pop_local_task(starpu_st_fifo_taskq_t fifo) {
  return fifo->tasks.head ? fifo->Take(fifo->tasks.head) : nullptr;
}
starpu_task* starpu_st_fifo_taskq_pop_first_ready_task(starpu_st_fifo_taskq_t fifo, unsigned worker,
                                                       int num_priorities) {
  if (num_priorities > TASKLENS_FIFO_PRIORITIES) {
    Fatal("starpu_st_fifo_taskq_pop_first_ready_task(): %d priorities are more than %d",
          num_priorities, TASKLENS_FIFO_PRIORITIES);
  }
  if (!fifo->tasks.head) return nullptr;
  starpu_task* task = MostReady(fifo->tasks.head, worker);
  if (num_priorities != -1) {
    unsigned* counts = starpu_st_fifo_ntasks_per_priority_get(fifo);
    const int last = starpu_st_normalize_prio(task->priority, num_priorities, task->sched_ctx);
    for (int priority = 0; priority <= last; ++priority) --counts[priority];
  }
  return fifo->Take(task);
}

double starpu_st_fifo_taskq_get_exp_len_prev_task_list(starpu_st_fifo_taskq_t fifo,
                                                       starpu_task* task, int worker,
                                                       int implementation, int* task_count) {
  const starpu_task* place = fifo->PlaceOf(task->priority);
  if (place == fifo->tasks.head) return fifo->pipeline_us;  // also of an empty queue
  if (!place) {
    *task_count = static_cast<int>(fifo->task_count);
    return fifo->length_us;
  }
  starpu_perfmodel_arch* where =
      starpu_worker_get_perf_archtype(worker, static_cast<unsigned>(task->sched_ctx));
  double length_us = fifo->pipeline_us;
  *task_count = 0;
  for (starpu_task* before = fifo->tasks.head; before != place; before = before->next) {
    length_us += starpu_task_expected_length(before, where, static_cast<unsigned>(implementation));
    ++*task_count;
  }
  return length_us;
}

void starpu_st_prio_deque_init(starpu_st_prio_deque_t deque) { deque->tasks = new TaskDeque; }
void starpu_st_prio_deque_destroy(starpu_st_prio_deque_t deque) {
  delete &Of(deque);
  deque->tasks = nullptr;
}
int starpu_st_prio_deque_is_empty(starpu_st_prio_deque_t deque) { return Of(deque).Empty(); }

int starpu_st_prio_deque_push_front_task(starpu_st_prio_deque_t deque, starpu_task* task) {
  Of(deque).PushFront(task);
  return 0;
}
int starpu_st_prio_deque_push_back_task(starpu_st_prio_deque_t deque, starpu_task* task) {
  Of(deque).PushBack(task);
  return 0;
}

starpu_task* starpu_st_prio_deque_highest_task(starpu_st_prio_deque_t deque) {
  return Of(deque).First();
}
starpu_task* starpu_st_prio_deque_pop_task(starpu_st_prio_deque_t deque) {
  return Take(Of(deque), Of(deque).First());
}
starpu_task* starpu_st_prio_deque_pop_back_task(starpu_st_prio_deque_t deque) {
  return Take(Of(deque), Of(deque).Last());
}
int starpu_st_prio_deque_pop_this_task(starpu_st_prio_deque_t deque, int worker,
                                       starpu_task* task) {
  if (!MayTake(task, worker)) return 0;
  Take(Of(deque), task);
  return 1;
}
void starpu_st_prio_deque_erase(starpu_st_prio_deque_t deque, starpu_task* task) {
  Take(Of(deque), task);
}

starpu_task* starpu_st_prio_deque_pop_task_for_worker(starpu_st_prio_deque_t deque, int worker,
                                                      starpu_task** skipped) {
  return Take(Of(deque), Of(deque).Find(TaskDeque::From::kFront, CanRun(worker, skipped)));
}
starpu_task* starpu_st_prio_deque_deque_task_for_worker(starpu_st_prio_deque_t deque, int worker,
                                                        starpu_task** skipped) {
  return Take(Of(deque), Of(deque).Find(TaskDeque::From::kBack, CanRun(worker, skipped)));
}
starpu_task* starpu_st_prio_deque_deque_first_ready_task(starpu_st_prio_deque_t deque,
                                                         unsigned worker) {
  if (Of(deque).Empty()) return nullptr;
  return Take(Of(deque), MostReady(Of(deque).First(), worker));
}

}  // extern "C"
