/* SPDX-License-Identifier: Apache-2.0
 * The scheduling context, number 0: what a scheduling policy keeps and asks. There is no other one;
 * another number aborts with a line. */
#ifndef __STARPU_SCHED_CTX_H__
#define __STARPU_SCHED_CTX_H__

#include <starpu_scheduler.h>
#include <starpu_worker.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The policy's own data: it allocates them in init_sched and frees them in deinit_sched. */
void starpu_sched_ctx_set_policy_data(unsigned sched_ctx_id, void* policy_data);
void* starpu_sched_ctx_get_policy_data(unsigned sched_ctx_id);
struct starpu_worker_collection* starpu_sched_ctx_get_worker_collection(unsigned sched_ctx_id);
struct starpu_sched_policy* starpu_sched_ctx_get_sched_policy(unsigned sched_ctx_id);
/* starpu_conf's sched_policy_callback, or NULL; under the name of 1.3 as well. */
void (*starpu_sched_ctx_get_sched_policy_callback(unsigned sched_ctx_id))(unsigned);
void (*starpu_sched_ctx_get_sched_policy_init(unsigned sched_ctx_id))(unsigned);

unsigned starpu_sched_ctx_get_nworkers(unsigned sched_ctx_id);
unsigned starpu_sched_ctx_contains_worker(int workerid, unsigned sched_ctx_id);
/* The number of workers; *workerids is from malloc(), the caller's to free. */
unsigned starpu_sched_ctx_get_workers_list(unsigned sched_ctx_id, int** workerids);
/* The same without a copy. */
unsigned starpu_sched_ctx_get_workers_list_raw(unsigned sched_ctx_id, int** workerids);

/* What STARPU_MIN_PRIO and STARPU_MAX_PRIO say. */
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
