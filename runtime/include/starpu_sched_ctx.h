/* SPDX-License-Identifier: Apache-2.0
 * Scheduling contexts: groups of workers with a policy of their own, for parts of a program; and
 * what a policy keeps and asks of its context. Context 0 is the one that starpu_init() makes, with
 * all workers. A worker may serve several contexts. */
#ifndef __STARPU_SCHED_CTX_H__
#define __STARPU_SCHED_CTX_H__

#include <starpu_config.h>
#include <starpu_scheduler.h>
#include <starpu_task.h>
#include <starpu_worker.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments of starpu_sched_ctx_create, each followed by what the comment says; 0 ends them. */
#define STARPU_SCHED_CTX_POLICY_NAME (1 << 16) /* const char * */
#define STARPU_SCHED_CTX_POLICY_STRUCT \
  (2 << 16) /* struct starpu_sched_policy *, the program's own or a predefined one */
#define STARPU_SCHED_CTX_POLICY_MIN_PRIO (3 << 16) /* int: what get_min_priority says */
#define STARPU_SCHED_CTX_POLICY_MAX_PRIO (4 << 16) /* int: what get_max_priority says */
#define STARPU_SCHED_CTX_HIERARCHY_LEVEL (5 << 16) /* unsigned */
#define STARPU_SCHED_CTX_NESTED (6 << 16)          /* unsigned: the context it is a part of */
#define STARPU_SCHED_CTX_AWAKE_WORKERS (7 << 16)   /* nothing: see below */
#define STARPU_SCHED_CTX_POLICY_INIT \
  (8 << 16) /* function, for the policy: get_sched_policy_callback */
#define STARPU_SCHED_CTX_USER_DATA (9 << 16)  /* void * */
#define STARPU_SCHED_CTX_CUDA_NSMS (10 << 16) /* int: see starpu_sched_ctx_get_nsms() */
#define STARPU_SCHED_CTX_SUB_CTXS (11 << 16)  /* int *, int: not used */

/* The number of a new context of these workers (nworkers -1: of all). Without a policy a task has
 * all of its workers to itself: it runs on the first, and the others leave their processors to it;
 * with AWAKE_WORKERS it runs on all of them at once. Tasks that are possibly_parallel go from a
 * context to those nested in it, in turn. STARPU_NMAX_SCHED_CTXS with a line when there are too
 * many contexts, the policy is not known, or an argument is none of the above. */
unsigned starpu_sched_ctx_create(int* workerids_ctx, int nworkers_ctx, const char* sched_ctx_name,
                                 ...);
/* The same of some workers: at least min_ncpus CPUs and min_ngpus CUDA workers, where there are so
 * many, and up to the other numbers of those that serve no context but the first. What is missing
 * comes from other contexts: what these have beyond their own least numbers (0 for those that were
 * not created by this function), then in proportion to all least numbers. They lose those workers,
 * unless allow_overlap. STARPU_NMAX_SCHED_CTXS with a line for numbers that are no intervals. */
unsigned starpu_sched_ctx_create_inside_interval(const char* policy_name,
                                                 const char* sched_ctx_name, int min_ncpus,
                                                 int max_ncpus, int min_ngpus, int max_ngpus,
                                                 unsigned allow_overlap);
/* Waits for the tasks of the context, then gives its workers to its inheritor. Inside a task it
 * does not wait: the context goes when its last task has ended. */
void starpu_sched_ctx_delete(unsigned sched_ctx_id);
/* callback(id, args) when it is deleted. */
void starpu_sched_ctx_register_close_callback(
    unsigned sched_ctx_id, void (*close_callback)(unsigned sched_ctx_id, void* args), void* args);
/* Tasks of a context without workers wait until it has some. A worker that is removed still takes
 * what the policy has given it alone, or, when the policy is the program's own or a modular one,
 * what that gives it until it has no task left. */
void starpu_sched_ctx_add_workers(int* workerids_ctx, unsigned nworkers_ctx, unsigned sched_ctx_id);
void starpu_sched_ctx_remove_workers(int* workerids_ctx, unsigned nworkers_ctx,
                                     unsigned sched_ctx_id);
void starpu_sched_ctx_display_workers(unsigned sched_ctx_id, FILE* f);
/* What is submitted from here on to the context that this thread has set, while it has no workers,
 * waits longer: not the next workers that it gets run it, but those after them, or all workers when
 * it is deleted. Nothing changes for a context with workers. */
void starpu_sched_ctx_stop_task_submission(void);
/* Who gets the workers when the context is deleted, or all its tasks have ended after
 * finished_submit; context 0 has all of them anyway. */
void starpu_sched_ctx_set_inheritor(unsigned sched_ctx_id, unsigned inheritor);
unsigned starpu_sched_ctx_get_inheritor(unsigned sched_ctx_id);
void starpu_sched_ctx_finished_submit(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_get_hierarchy_level(unsigned sched_ctx_id);
void* starpu_sched_ctx_get_user_data(unsigned sched_ctx_id);
void starpu_sched_ctx_set_user_data(unsigned sched_ctx_id, void* user_data);

/* Tasks that are ready and that no worker has yet, and their flops. */
int starpu_sched_ctx_get_nready_tasks(unsigned sched_ctx_id);
double starpu_sched_ctx_get_nready_flops(unsigned sched_ctx_id);
/* Whether it has a policy; *awake_workers: whether its tasks run on all workers at once. */
unsigned starpu_sched_ctx_has_starpu_scheduler(unsigned sched_ctx_id, unsigned* awake_workers);
/* The calling worker, and how many workers of the context are before it; -1 when it is none of
 * them. */
unsigned starpu_sched_ctx_worker_get_id(unsigned sched_ctx_id);
int starpu_sched_ctx_get_worker_rank(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_get_ctx_for_task(struct starpu_task* task);

/* Books workers of the context for one task: the calling worker, or else the first of them, is the
 * master, the others do nothing once they have ended the task at hand, until they are unbooked, the
 * context is deleted, or starpu_shutdown(). Returns the master; -1 where one of the workers, or the
 * calling one, is booked already, or (with a line) not of the context. A thread that is no worker
 * waits until the others do nothing; they have to be able to: none of them may wait for it. */
int starpu_sched_ctx_book_workers_for_task(unsigned sched_ctx_id, int* workerids, int nworkers);
void starpu_sched_ctx_unbook_workers_for_task(unsigned sched_ctx_id, int master);
/* The context without a policy whose tasks run on the worker (its first CPU worker); the second of
 * those that are nested in a context. STARPU_NMAX_SCHED_CTXS: none. */
unsigned starpu_sched_ctx_master_get_context(int masterid);
unsigned starpu_sched_ctx_worker_is_master_for_child_ctx(int workerid, unsigned sched_ctx_id);

/* In which order a worker looks for tasks in its contexts: by this priority, the highest first; of
 * one priority those first in which the policy counts tasks for it, see below. Until the first such
 * call the first context has priority 0 and all others 1. 0 for a worker that the context has not.
 */
void starpu_sched_ctx_set_priority(int* workers, int nworkers, unsigned sched_ctx_id,
                                   unsigned priority);
unsigned starpu_sched_ctx_get_priority(int worker, unsigned sched_ctx_id);
/* For policies of the program's own: one task more that the worker may get, one less, none. _all:
 * for the workers of the context that can run the task. */
void starpu_sched_ctx_list_task_counters_increment(unsigned sched_ctx_id, int workerid);
void starpu_sched_ctx_list_task_counters_decrement(unsigned sched_ctx_id, int workerid);
void starpu_sched_ctx_list_task_counters_reset(unsigned sched_ctx_id, int workerid);
void starpu_sched_ctx_list_task_counters_increment_all_ctx_locked(struct starpu_task* task,
                                                                  unsigned sched_ctx_id);
void starpu_sched_ctx_list_task_counters_decrement_all_ctx_locked(struct starpu_task* task,
                                                                  unsigned sched_ctx_id);
void starpu_sched_ctx_list_task_counters_reset_all(struct starpu_task* task, unsigned sched_ctx_id);
/* A policy moves a task that it has in its hands to another context: there is one task less, of so
 * many flops, in its own (revert), and one more in the other (move). with_repush: the other
 * context's policy gets it; else the caller keeps it, for a worker to run. */
void starpu_sched_ctx_revert_task_counters_ctx_locked(unsigned sched_ctx_id, double flops);
void starpu_sched_ctx_move_task_to_ctx_locked(struct starpu_task* task, unsigned sched_ctx,
                                              unsigned with_repush);

/* Shares of a CUDA device: STARPU_SCHED_CTX_CUDA_NSMS of its multiprocessors, the next ones that no
 * context has, of 13 in all. Nothing is limited to them: a task's function asks for the interval.
 * nsms: 0 when it has none. stream_worker: the context's first worker, -1: it has none.
 * id_stream: the context whose share is used by that worker, or STARPU_NMAX_SCHED_CTXS.
 * interval: from *start to before *end, of that context; of a worker without one 0 and 13. */
int starpu_sched_ctx_get_nsms(unsigned sched_ctx);
int starpu_sched_ctx_get_stream_worker(unsigned sub_ctx);
unsigned starpu_worker_get_sched_ctx_id_stream(unsigned stream_workerid);
void starpu_sched_ctx_get_sms_interval(int stream_workerid, int* start, int* end);

/* Where this thread's tasks go that name no context; the number is read when they are submitted.
 * NULL: context 0. */
void starpu_sched_ctx_set_context(unsigned* sched_ctx_id);
/* STARPU_NMAX_SCHED_CTXS when none is set. */
unsigned starpu_sched_ctx_get_context(void);

/* The workers of a context; a bound worker's processing unit is its cpuid. The array is from
 * malloc(), the caller's. */
void starpu_sched_ctx_get_available_cpuids(unsigned sched_ctx_id, int** cpuids, int* ncpuids);
void starpu_sched_ctx_bind_current_thread_to_cpuid(unsigned cpuid);
/* Runs func(param) on this thread, which is no worker, while the context's workers wait, so that it
 * may use their processors; returns its result. */
void* starpu_sched_ctx_exec_parallel_code(void* (*func)(void*), void* param, unsigned sched_ctx_id);
/* The policy's own data: it allocates them in init_sched and frees them in deinit_sched. */
void starpu_sched_ctx_set_policy_data(unsigned sched_ctx_id, void* policy_data);
void* starpu_sched_ctx_get_policy_data(unsigned sched_ctx_id);
/* NULL once it was deleted, until another is created. */
struct starpu_worker_collection* starpu_sched_ctx_get_worker_collection(unsigned sched_ctx_id);
/* A collection of this kind, with the workers that the context has; it is the context's. */
struct starpu_worker_collection* starpu_sched_ctx_create_worker_collection(
    unsigned sched_ctx_id, enum starpu_worker_collection_type type);
void starpu_sched_ctx_delete_worker_collection(unsigned sched_ctx_id);
struct starpu_sched_policy* starpu_sched_ctx_get_sched_policy(unsigned sched_ctx_id);
/* POLICY_INIT's, of context 0 starpu_conf's sched_policy_callback; or NULL. Under the name of 1.3
 * as well. */
void (*starpu_sched_ctx_get_sched_policy_callback(unsigned sched_ctx_id))(unsigned);
void (*starpu_sched_ctx_get_sched_policy_init(unsigned sched_ctx_id))(unsigned);

unsigned starpu_sched_ctx_get_nworkers(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_get_nshared_workers(unsigned sched_ctx_id, unsigned sched_ctx_id2);
unsigned starpu_sched_ctx_contains_type_of_worker(enum starpu_worker_archtype arch,
                                                  unsigned sched_ctx_id);
/* Whether the worker serves several contexts, beside the first one that has all. */
unsigned starpu_sched_ctx_overlapping_ctxs_on_worker(int workerid);
/* The number of contexts that the worker serves; *sched_ctx: which ones, the caller's to free. */
unsigned starpu_worker_get_sched_ctx_list(int worker, unsigned** sched_ctx);
unsigned starpu_sched_ctx_contains_worker(int workerid, unsigned sched_ctx_id);
/* The number of workers; *workerids is from malloc(), the caller's to free. */
unsigned starpu_sched_ctx_get_workers_list(unsigned sched_ctx_id, int** workerids);
/* The same without a copy. */
unsigned starpu_sched_ctx_get_workers_list_raw(unsigned sched_ctx_id, int** workerids);

/* What POLICY_MIN_PRIO and POLICY_MAX_PRIO say, or -5 and 5; of context 0 STARPU_MIN_PRIO and
 * STARPU_MAX_PRIO. */
int starpu_sched_ctx_get_min_priority(unsigned sched_ctx_id);
int starpu_sched_ctx_get_max_priority(unsigned sched_ctx_id);
int starpu_sched_ctx_set_min_priority(unsigned sched_ctx_id, int min_prio);
int starpu_sched_ctx_set_max_priority(unsigned sched_ctx_id, int max_prio);
/* Whether the program, the policy or the environment has set it. */
int starpu_sched_ctx_min_priority_is_set(unsigned sched_ctx_id);
int starpu_sched_ctx_max_priority_is_set(unsigned sched_ctx_id);

/* Tells that all workers draw from one list; nothing changes here. */
void starpu_sched_ctx_worker_shares_tasks_lists(int workerid, int sched_ctx_id);

#ifdef __cplusplus
}
#endif

#endif
