// SPDX-License-Identifier: Apache-2.0
// What the queues of tasks for a program's policies ask of a task and a worker.
#pragma once

#include <starpu.h>

namespace tasklens::runtime {

// Whether the worker can run the task, whose implementation is then the first that it can.
bool SetFirstImplementation(starpu_task* task, unsigned worker);

// Of this task and those behind it whose priority is not lower, the one for which the fewest bytes
// have to go to the worker's memory; of equals the first.
starpu_task* MostReady(starpu_task* first, unsigned worker);

}  // namespace tasklens::runtime
