/* SPDX-License-Identifier: Apache-2.0
 * Scheduling: priorities, which worker can run a task, what a task's data amount to. */
#ifndef __STARPU_SCHEDULER_H__
#define __STARPU_SCHEDULER_H__

#include <starpu_perfmodel.h>
#include <starpu_task.h>
#include <starpu_thread.h>
#include <starpu_worker.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scheduling policy of the program's own: give it to starpu_init() in starpu_conf.sched_policy,
 * or name it in STARPU_SCHED and its library in STARPU_SCHED_LIB. Every function but push_task may
 * be NULL. push_task and pop_task are called by any thread at once: what they share is theirs to
 * lock. While a worker is in pop_task, starpu_worker_lock() of it by another thread waits. */
struct starpu_sched_policy {
  void (*init_sched)(unsigned sched_ctx_id); /* before any other */
  void (*deinit_sched)(unsigned sched_ctx_id);
  /* A task is ready. It calls starpu_push_task_end() once a worker may find the task. 0; anything
   * else aborts with a line. */
  int (*push_task)(struct starpu_task*);
  /* When a task that is pushed now would end, in the time of starpu_timing_now(). Asked in contexts
   * but the first, where STARPU_WINDOW_TIME_SIZE is set (starpu_sched_ctx_hypervisor.h). */
  double (*simulate_push_task)(struct starpu_task*);
  /* A task that may run on one worker only has become ready, and goes there without the policy. */
  void (*push_task_notify)(struct starpu_task*, int workerid, int perf_workerid,
                           unsigned sched_ctx_id);
  /* A task for the calling worker, which must be able to run it, or NULL. A policy without it
   * gives its tasks to workers with starpu_push_local_task(). */
  struct starpu_task* (*pop_task)(unsigned sched_ctx_id);
  struct starpu_task* (*pop_every_task)(unsigned sched_ctx_id); /* not called */
  void (*submit_hook)(struct starpu_task* task);
  void (*pre_exec_hook)(struct starpu_task*, unsigned sched_ctx_id);
  void (*post_exec_hook)(struct starpu_task*, unsigned sched_ctx_id);
  void (*do_schedule)(unsigned sched_ctx_id);     /* the program waits: a good time to start */
  void (*reset_scheduler)(unsigned sched_ctx_id); /* starpu_reset_scheduler(), for context 0 */
  void (*add_workers)(unsigned sched_ctx_id, int* workerids, unsigned nworkers);
  void (*remove_workers)(unsigned sched_ctx_id, int* workerids, unsigned nworkers);
  int prefetches;
  const char* policy_name;
  const char* policy_description;
  enum starpu_worker_collection_type worker_type;
};
/* A NULL-terminated list. */
struct starpu_sched_policy** starpu_sched_get_predefined_policies(void);
struct starpu_sched_policy* starpu_sched_get_sched_policy(void);
/* NULL: the context has none. */
struct starpu_sched_policy* starpu_sched_get_sched_policy_in_ctx(unsigned sched_ctx_id);
/* A library that STARPU_SCHED_LIB names defines these: the policy of a name (of STARPU_SCHED, of
 * starpu_sched_ctx_create()), NULL when it has none; and, to be listed where a name is not known, a
 * NULL-terminated list of all. */
struct starpu_sched_policy* starpu_get_sched_lib_policy(const char* name);
struct starpu_sched_policy** starpu_get_sched_lib_policies(void);

int starpu_sched_get_min_priority(void);
int starpu_sched_get_max_priority(void);
/* 0. */
int starpu_sched_set_min_priority(int min_prio);
int starpu_sched_set_max_priority(int max_prio);

/* For push_task functions. A task that is in the policy's hands, and when. 0. */
int starpu_push_task_end(struct starpu_task* task);
/* Gives a task to a worker for good, by priority; `back` is for equal ones. 0; -ENODEV when the
 * worker cannot run it. */
int starpu_push_local_task(int workerid, struct starpu_task* task, int back);
/* Lets a worker that sleeps look for a task; whether it slept. Not needed after push_task. */
int starpu_wake_worker_relax(int workerid);
int starpu_wake_worker_no_relax(int workerid);
int starpu_wake_worker_locked(int workerid);
int starpu_wake_worker_relax_light(int workerid);
/* What starpu_worker_lock() locks, for policies written before it. */
void starpu_worker_get_sched_condition(int workerid, starpu_pthread_mutex_t** sched_mutex,
                                       starpu_pthread_cond_t** sched_cond);

/* Begins to bring what a task reads, which is granted to it, to a memory node; only what there is
 * room for, and only on machines with devices. 0. The flag is STARPU_PREFETCH. */
int starpu_get_prefetch_flag(void);
int starpu_prefetch_task_input_on_node(struct starpu_task* task, unsigned node);
int starpu_prefetch_task_input_on_node_prio(struct starpu_task* task, unsigned node, int prio);
int starpu_idle_prefetch_task_input_on_node(struct starpu_task* task, unsigned node);
int starpu_idle_prefetch_task_input_on_node_prio(struct starpu_task* task, unsigned node, int prio);
int starpu_prefetch_task_input_for(struct starpu_task* task, unsigned worker);
int starpu_prefetch_task_input_for_prio(struct starpu_task* task, unsigned worker, int prio);
int starpu_idle_prefetch_task_input_for(struct starpu_task* task, unsigned worker);
int starpu_idle_prefetch_task_input_for_prio(struct starpu_task* task, unsigned worker, int prio);

/* Microseconds that this is expected to take: 0 where the data are, or are on their way to. */
double starpu_task_expected_data_transfer_time(unsigned memory_node, struct starpu_task* task);
double starpu_task_expected_data_transfer_time_for(struct starpu_task* task, unsigned worker);
double starpu_data_expected_transfer_time(starpu_data_handle_t handle, unsigned memory_node,
                                          enum starpu_data_access_mode mode);

/* Microseconds that the conversions take which a task's multiformat data need there. */
double starpu_task_expected_conversion_time(struct starpu_task* task,
                                            struct starpu_perfmodel_arch* arch, unsigned nimpl);
/* How much faster than a CPU core an architecture is thought to be where nobody has measured. */
double starpu_worker_get_relative_speedup(struct starpu_perfmodel_arch* perf_arch);

/* func(data, task, delay) is called when the last task that `task` waits for has started, and its
 * performance model knows that it takes `delay` microseconds. One at a time; before the first such
 * task is submitted. Tags and data without sequential consistency are not looked at. */
typedef void (*starpu_notify_ready_soon_func)(void* data, struct starpu_task* task, double delay);
void starpu_task_notify_ready_soon_register(starpu_notify_ready_soon_func func, void* data);

/* For policies of the program's own, where they have chosen a worker for a task: stops in the
 * debugger (SIGTRAP) when its number is that of STARPU_TASK_BREAK_ON_SCHED. */
void starpu_sched_task_break(struct starpu_task* task);

/* From 1, in order of submission; 0 when the task was never submitted. */
unsigned long starpu_task_get_job_id(struct starpu_task* task);

int starpu_worker_can_execute_task(unsigned workerid, struct starpu_task* task, unsigned nimpl);
int starpu_worker_can_execute_task_impl(unsigned workerid, struct starpu_task* task,
                                        unsigned* impl_mask);
int starpu_worker_can_execute_task_first_impl(unsigned workerid, struct starpu_task* task,
                                              unsigned* nimpl);

/* The number under which performance models keep a task of this size. */
uint32_t starpu_task_footprint(struct starpu_perfmodel* model, struct starpu_task* task,
                               struct starpu_perfmodel_arch* arch, unsigned nimpl);
uint32_t starpu_task_data_footprint(struct starpu_task* task);

#ifdef __cplusplus
}
#endif

#endif
