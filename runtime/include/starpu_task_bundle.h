/* SPDX-License-Identifier: Apache-2.0
 * The type of a group of tasks; the operations on groups are not there yet. */
#ifndef __STARPU_TASK_BUNDLE_H__
#define __STARPU_TASK_BUNDLE_H__

typedef struct _starpu_task_bundle* starpu_task_bundle_t;

#endif
