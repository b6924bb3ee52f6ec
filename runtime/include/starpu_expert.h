/* SPDX-License-Identifier: Apache-2.0
 * What workers do while they have no task. */
#ifndef __STARPU_EXPERT_H__
#define __STARPU_EXPERT_H__

#ifdef __cplusplus
extern "C" {
#endif

/* Workers look for tasks, and call the hooks, once more. */
void starpu_wake_all_blocked_workers(void);

/* func(arg) is called by each worker that has no task, before it falls asleep. While a hook returns
 * 0, workers do not sleep for long and call it again and again. A number for the second function,
 * or -ENOMEM with 32 of them; they are gone with starpu_shutdown(). The two kinds are the same. */
int starpu_progression_hook_register(unsigned (*func)(void* arg), void* arg);
void starpu_progression_hook_deregister(int hook_id);
int starpu_idle_hook_register(unsigned (*func)(void* arg), void* arg);
void starpu_idle_hook_deregister(int hook_id);

#ifdef __cplusplus
}
#endif

#endif
