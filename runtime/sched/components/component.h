// SPDX-License-Identifier: Apache-2.0
// What the kinds of components share among themselves; the public part is starpu_sched_component.h.
#pragma once

#include <starpu_sched_component.h>

namespace tasklens::runtime {

// Pushes to the first child, counted from `first` on and round, that can run the task and takes
// it. 0 or 1, as push_task.
int PushToChildren(starpu_sched_component* component, starpu_task* task, unsigned first);

}  // namespace tasklens::runtime
