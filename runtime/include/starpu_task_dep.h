/* SPDX-License-Identifier: Apache-2.0
 * Dependencies that the program states itself: between tasks, and through tags. */
#ifndef __STARPU_TASK_DEP_H__
#define __STARPU_TASK_DEP_H__

#include <starpu_util.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_task;

/* `task`, not yet submitted, starts only after the others have ended. */
void starpu_task_declare_deps_array(struct starpu_task* task, unsigned ndeps,
                                    struct starpu_task* task_array[]);
void starpu_task_declare_deps(struct starpu_task* task, unsigned ndeps, ...);
/* `task` may run, but counts as ended only after the others have ended. */
void starpu_task_declare_end_deps_array(struct starpu_task* task, unsigned ndeps,
                                        struct starpu_task* task_array[]);
void starpu_task_declare_end_deps(struct starpu_task* task, unsigned ndeps, ...);
/* `t` counts as ended only after nb_deps more calls of starpu_task_end_dep_release. */
void starpu_task_end_dep_add(struct starpu_task* t, int nb_deps);
void starpu_task_end_dep_release(struct starpu_task* t);
/* Successors known now: fills at most ndeps, returns how many there are. */
int starpu_task_get_task_succs(struct starpu_task* task, unsigned ndeps,
                               struct starpu_task* task_array[]);
/* The same, of those that the scheduler will get: no empty ones, none with a worker of their own.
 */
int starpu_task_get_task_scheduled_succs(struct starpu_task* task, unsigned ndeps,
                                         struct starpu_task* task_array[]);

typedef uint64_t starpu_tag_t;

/* The task of tag `id` starts only after the given tags are done. Declare before submitting it. */
void starpu_tag_declare_deps(starpu_tag_t id, unsigned ndeps, ...);
void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned ndeps, starpu_tag_t* array);
/* 0, or -EDEADLK from inside a task or callback. */
int starpu_tag_wait(starpu_tag_t id);
int starpu_tag_wait_array(unsigned ntags, starpu_tag_t* id);
/* Makes a done tag waiting again. */
void starpu_tag_restart(starpu_tag_t id);
/* Forgets the tag. */
void starpu_tag_remove(starpu_tag_t id);
/* Of all tags. */
void starpu_tag_clear(void);
/* Makes a tag done without a task. */
void starpu_tag_notify_from_apps(starpu_tag_t id);
void starpu_tag_notify_restart_from_apps(starpu_tag_t id);
struct starpu_task* starpu_tag_get_task(starpu_tag_t id);

#ifdef __cplusplus
}
#endif

#endif
