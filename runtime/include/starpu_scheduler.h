/* SPDX-License-Identifier: Apache-2.0
 * Scheduling: priorities, which worker can run a task, what a task's data amount to. */
#ifndef __STARPU_SCHEDULER_H__
#define __STARPU_SCHEDULER_H__

#include <starpu_perfmodel.h>
#include <starpu_task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A policy that is there. Policies of the program's own are not there yet. */
struct starpu_sched_policy {
  const char* policy_name;
  const char* policy_description;
};
/* A NULL-terminated list. */
struct starpu_sched_policy** starpu_sched_get_predefined_policies(void);
struct starpu_sched_policy* starpu_sched_get_sched_policy(void);

int starpu_sched_get_min_priority(void);
int starpu_sched_get_max_priority(void);
/* 0. */
int starpu_sched_set_min_priority(int min_prio);
int starpu_sched_set_max_priority(int max_prio);

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
