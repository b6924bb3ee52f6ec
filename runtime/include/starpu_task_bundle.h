/* SPDX-License-Identifier: Apache-2.0
 * Bundles: tasks that the program would like to see scheduled together, as they use the same data.
 * All CPU workers share one memory, so that a bundle is bookkeeping and no more. */
#ifndef __STARPU_TASK_BUNDLE_H__
#define __STARPU_TASK_BUNDLE_H__

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_task;
struct starpu_perfmodel_arch;
typedef struct _starpu_task_bundle* starpu_task_bundle_t;

void starpu_task_bundle_create(starpu_task_bundle_t* bundle);
/* 0; -EPERM when the bundle is closed, the task was submitted, or is in a bundle already. */
int starpu_task_bundle_insert(starpu_task_bundle_t bundle, struct starpu_task* task);
/* 0, or -ENOENT when the task is not in it. A task that ends leaves its bundle. */
int starpu_task_bundle_remove(starpu_task_bundle_t bundle, struct starpu_task* task);
/* No more insertions; the bundle is freed when its last task has left it. */
void starpu_task_bundle_close(starpu_task_bundle_t bundle);
/* Microseconds that its tasks take one after the other, as starpu_task_expected_length() has it. */
double starpu_task_bundle_expected_length(starpu_task_bundle_t bundle,
                                          struct starpu_perfmodel_arch* arch, unsigned nimpl);
/* Microseconds that it takes to bring all data there that its tasks read, each once. */
double starpu_task_bundle_expected_data_transfer_time(starpu_task_bundle_t bundle,
                                                      unsigned memory_node);
/* Joules. */
double starpu_task_bundle_expected_energy(starpu_task_bundle_t bundle,
                                          struct starpu_perfmodel_arch* arch, unsigned nimpl);

#ifdef __cplusplus
}
#endif

#endif
