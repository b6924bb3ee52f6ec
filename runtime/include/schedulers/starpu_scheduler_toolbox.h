/* SPDX-License-Identifier: Apache-2.0
 * Queues of tasks for scheduling policies that programs write.
 *
 * Nothing here is locked: of a queue that several threads use, the policy holds a lock of its own
 * (a mutex, or the worker's for a queue of one worker) around each call. A task is in one queue or
 * list at a time, linked through its prev and next, and keeps its priority while it is there.
 * What returns a task takes it out of the queue, and returns NULL where there is none. */
#ifndef __STARPU_SCHEDULER_TOOLBOX_H__
#define __STARPU_SCHEDULER_TOOLBOX_H__

#include <starpu.h>
#include <starpu_scheduler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A list of tasks with figures about them. The functions for tasks keep ntasks and nprocessed;
 * everything else is what the policy sets. Times are in microseconds, dates as of
 * starpu_timing_now(). */
typedef struct starpu_st_fifo_taskq* starpu_st_fifo_taskq_t;

/* Empty, its figures 0, its dates now. */
starpu_st_fifo_taskq_t starpu_st_fifo_taskq_create(void) STARPU_ATTRIBUTE_MALLOC;
/* As after starpu_st_fifo_taskq_create(): it forgets its tasks, which stay the policy's. */
void starpu_st_fifo_taskq_init(starpu_st_fifo_taskq_t fifo);
/* Of its tasks none is destroyed. */
void starpu_st_fifo_taskq_destroy(starpu_st_fifo_taskq_t fifo);

/* The number of tasks, and what the policy adds to it; empty: whether it is 0. */
int starpu_st_fifo_taskq_empty(starpu_st_fifo_taskq_t fifo);
unsigned starpu_st_fifo_ntasks_get(starpu_st_fifo_taskq_t fifo);
void starpu_st_fifo_ntasks_inc(starpu_st_fifo_taskq_t fifo, int n);
/* How many tasks were put in, without those that push_back put in front, and what the policy adds.
 */
unsigned starpu_st_fifo_nprocessed_get(starpu_st_fifo_taskq_t fifo);
void starpu_st_fifo_nprocessed_inc(starpu_st_fifo_taskq_t fifo, int n);

/* When the first task of the queue is expected to start, and the last one to end. */
double starpu_st_fifo_exp_start_get(starpu_st_fifo_taskq_t fifo);
void starpu_st_fifo_exp_start_set(starpu_st_fifo_taskq_t fifo, double exp_start);
double starpu_st_fifo_exp_end_get(starpu_st_fifo_taskq_t fifo);
void starpu_st_fifo_exp_end_set(starpu_st_fifo_taskq_t fifo, double exp_end);
/* How long the tasks of the queue are expected to take. */
double starpu_st_fifo_exp_len_get(starpu_st_fifo_taskq_t fifo);
void starpu_st_fifo_exp_len_set(starpu_st_fifo_taskq_t fifo, double exp_len);
void starpu_st_fifo_exp_len_inc(starpu_st_fifo_taskq_t fifo, double exp_len);
/* How long the tasks that the worker has taken already are expected to take. */
double starpu_st_fifo_pipeline_len_get(starpu_st_fifo_taskq_t fifo);
void starpu_st_fifo_pipeline_len_set(starpu_st_fifo_taskq_t fifo, double pipeline_len);
void starpu_st_fifo_pipeline_len_inc(starpu_st_fifo_taskq_t fifo, double pipeline_len);

/* For each priority p of starpu_st_normalize_prio(): of the tasks whose priority is p or higher,
 * how many there are, and how long they are expected to take. So many entries, first 0, which the
 * policy sets. They are the queue's, until its destroy or init. */
#define TASKLENS_FIFO_PRIORITIES 1024
unsigned* starpu_st_fifo_ntasks_per_priority_get(starpu_st_fifo_taskq_t fifo);
double* starpu_st_fifo_exp_len_per_priority_get(starpu_st_fifo_taskq_t fifo);

/* These return 0. Sorted: behind the tasks of its priority and higher ones. The others do the same
 * with a priority above 0; without one, push appends the task, and push_back puts it in front: it
 * is the back of a worker that takes the first one. */
int starpu_st_fifo_taskq_push_sorted_task(starpu_st_fifo_taskq_t fifo_queue,
                                          struct starpu_task* task);
int starpu_st_fifo_taskq_push_task(starpu_st_fifo_taskq_t fifo, struct starpu_task* task);
int starpu_st_fifo_taskq_push_back_task(starpu_st_fifo_taskq_t fifo_queue,
                                        struct starpu_task* task);

/* Takes this task out of its queue if the worker can run it (-1: in any case), and sets the first
 * implementation that it can run. Returns whether it did. */
int starpu_st_fifo_taskq_pop_this_task(starpu_st_fifo_taskq_t fifo_queue, int workerid,
                                       struct starpu_task* task);
/* The first task that the worker can run, as starpu_st_fifo_taskq_pop_this_task() has it. */
struct starpu_task* starpu_st_fifo_taskq_pop_task(starpu_st_fifo_taskq_t fifo, int workerid);
/* The first task, whoever can run it. */
struct starpu_task* starpu_st_fifo_taskq_pop_local_task(starpu_st_fifo_taskq_t fifo);
/* Of the tasks whose priority is not below the first one's, the one that lacks the fewest bytes by
 * starpu_st_non_ready_buffers_size(): not ready; of equals not loading; of equals not allocated; of
 * equals the first. Whether the worker can run it is not asked. num_priorities: -1, or
 * ntasks_per_priority counts one task less up to the task's priority. */
struct starpu_task* starpu_st_fifo_taskq_pop_first_ready_task(starpu_st_fifo_taskq_t fifo_queue,
                                                              unsigned workerid,
                                                              int num_priorities);

/* How long what is in front of a task is expected to take, if push_sorted puts it in: the pipeline
 * and the tasks before its place with this implementation of the worker's; at the end, exp_len.
 * *fifo_ntasks is the number of these tasks, left alone where there is none. */
double starpu_st_fifo_taskq_get_exp_len_prev_task_list(starpu_st_fifo_taskq_t fifo_queue,
                                                       struct starpu_task* task, int workerid,
                                                       int nimpl, int* fifo_ntasks);

/* A list of tasks for each priority. The struct is here so that a policy can have one; between init
 * and destroy, its field is the queue's own. */
struct starpu_st_prio_deque {
  void* tasks;
};
typedef struct starpu_st_prio_deque* starpu_st_prio_deque_t;

void starpu_st_prio_deque_init(starpu_st_prio_deque_t pdeque);
/* Of its tasks none is destroyed. */
void starpu_st_prio_deque_destroy(starpu_st_prio_deque_t pdeque);
int starpu_st_prio_deque_is_empty(starpu_st_prio_deque_t pdeque);

/* Before or behind all tasks of its priority. They return 0. */
int starpu_st_prio_deque_push_front_task(starpu_st_prio_deque_t pdeque, struct starpu_task* task);
int starpu_st_prio_deque_push_back_task(starpu_st_prio_deque_t pdeque, struct starpu_task* task);

/* The first of the highest priority; it stays in the queue. */
struct starpu_task* starpu_st_prio_deque_highest_task(starpu_st_prio_deque_t pdeque);
/* The first of the highest priority. */
struct starpu_task* starpu_st_prio_deque_pop_task(starpu_st_prio_deque_t pdeque);
/* The last of the lowest priority. */
struct starpu_task* starpu_st_prio_deque_pop_back_task(starpu_st_prio_deque_t pdeque);
/* As starpu_st_fifo_taskq_pop_this_task(). */
int starpu_st_prio_deque_pop_this_task(starpu_st_prio_deque_t pdeque, int workerid,
                                       struct starpu_task* task);
/* Takes a task out that is in the queue. */
void starpu_st_prio_deque_erase(starpu_st_prio_deque_t pdeque, struct starpu_task* task);

/* The first task that the worker can run, from the highest priority to the lowest; of a priority,
 * pop begins at the front and deque at the back. The first implementation that it can run is set.
 * *skipped (skipped may be NULL) is the last task that was passed over, or NULL. */
struct starpu_task* starpu_st_prio_deque_pop_task_for_worker(starpu_st_prio_deque_t pdeque,
                                                             int workerid,
                                                             struct starpu_task** skipped);
struct starpu_task* starpu_st_prio_deque_deque_task_for_worker(starpu_st_prio_deque_t pdeque,
                                                               int workerid,
                                                               struct starpu_task** skipped);
/* Of the tasks of the highest priority, which starpu_st_fifo_taskq_pop_first_ready_task() takes. */
struct starpu_task* starpu_st_prio_deque_deque_first_ready_task(starpu_st_prio_deque_t pdeque,
                                                                unsigned workerid);

/* The priority on a scale from 0, the lowest one of the context, to num_priorities - 1. (StarPU
 * rounds the step of the scale, so that fewer priorities than the context has are all 0.) */
int starpu_st_normalize_prio(int priority, int num_priorities, unsigned sched_ctx_id);
/* How many data of a task (scratch and reductions aside) are not valid where the worker computes.
 */
int starpu_st_non_ready_buffers_count(struct starpu_task* task, unsigned worker);
/* Of the same data, the bytes: of those that the task reads and that are not valid there; of these,
 * of those that are not on their way; of all, of those without memory there. */
void starpu_st_non_ready_buffers_size(struct starpu_task* task, unsigned worker, size_t* non_readyp,
                                      size_t* non_loadingp, size_t* non_allocatedp);

#ifdef __cplusplus
}
#endif

#endif
