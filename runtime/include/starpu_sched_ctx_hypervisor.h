/* SPDX-License-Identifier: Apache-2.0
 * What happens in a scheduling context, told to a program that moves workers between contexts. */
#ifndef __STARPU_SCHED_CTX_HYPERVISOR_H__
#define __STARPU_SCHED_CTX_HYPERVISOR_H__

#include <starpu_config.h>
#include <starpu_task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each may be NULL. They are called by whichever thread makes it happen, several at once, and hold
 * up the task: they may add and remove workers (but notify_pushed_task may not remove those of its
 * context), and must not wait for tasks. */
struct starpu_sched_ctx_performance_counters {
  /* The worker looked for a task of the context and found none; idle_time is 1: so many looks. A
   * worker that sleeps is woken every half a millisecond to say it. */
  void (*notify_idle_cycle)(unsigned sched_ctx_id, int worker, double idle_time);
  /* The worker has a task of the context. */
  void (*notify_poped_task)(unsigned sched_ctx_id, int worker);
  /* A ready task is there for the worker; for each of the context where any may take it. A policy
   * of the program's own says it itself, by starpu_sched_ctx_call_pushed_task_cb(). */
  void (*notify_pushed_task)(unsigned sched_ctx_id, int worker);
  /* The task's function has returned: bytes of its data, and its flops. */
  void (*notify_post_exec_task)(struct starpu_task* task, size_t data_size, uint32_t footprint,
                                int hypervisor_tag, double flops);
  void (*notify_submitted_job)(struct starpu_task* task, uint32_t footprint, size_t data_size);
  /* The task is ready, and the context has no workers. */
  void (*notify_empty_ctx)(unsigned sched_ctx_id, struct starpu_task* task);
  void (*notify_delete_context)(unsigned sched_ctx);
};

/* For a context that starpu_sched_ctx_create() made. perf_counters: a struct
 * starpu_sched_ctx_performance_counters, the program's, as long as the context is there; NULL:
 * nothing is told any more. */
void starpu_sched_ctx_set_perf_counters(unsigned sched_ctx_id, void* perf_counters);
void starpu_sched_ctx_call_pushed_task_cb(int workerid, unsigned sched_ctx_id);

/* From when, in the time of starpu_timing_now(), the window of STARPU_WINDOW_TIME_SIZE seconds
 * counts: a ready task waits outside of the context's policy while the policy's simulate_push_task
 * expects it to end after the window. 0, the default: from the moment at which the task comes. */
void starpu_sched_ctx_update_start_resizing_sample(unsigned sched_ctx_id, double start_sample);

/* Whether the first was called since starpu_init(). */
void starpu_sched_ctx_notify_hypervisor_exists(void);
unsigned starpu_sched_ctx_check_if_hypervisor_exists(void);

#ifdef __cplusplus
}
#endif

#endif
