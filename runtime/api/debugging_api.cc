// SPDX-License-Identifier: Apache-2.0
// Functions that help to debug why a task does not run.
#include <starpu.h>

#include "runtime/core/runtime.h"
#include "runtime/core/task_breaks.h"
#include "runtime/core/watchdog.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_task_watchdog_set_hook(void (*hook)(void*), void* argument) {
  if (Watchdog* watchdog = Runtime::Get(__func__).watchdog()) watchdog->SetHook(hook, argument);
}
void starpu_sched_task_break(starpu_task* task) {
  Runtime::Get(__func__).task_breaks().At(TaskBreaks::kSched, task);
}

}  // extern "C"
