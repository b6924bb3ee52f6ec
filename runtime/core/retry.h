// SPDX-License-Identifier: Apache-2.0
// starpu_task_ft_*(): fault-tolerant tasks, tried again until they succeed.
//
// The task itself holds its data and is ordered among the other tasks, but does not run. Its tries
// run: copies of the task that are not ordered. The task ends when a try has succeeded and its
// prologue has returned (so that nothing touches it any more), whichever comes last.
#pragma once

#include <starpu.h>

namespace tasklens::runtime {

// Returns the task that this thread runs; aborts with a message naming `function` if there is none.
starpu_task* TaskHere(const char* function);

// CreateTry() creates a try of `meta_task`, SubmitTry() also submits it: a copy of `like`, which is
// that task or an earlier try. At the end of the try `check` is called with the task: it makes
// another try or calls SucceedTry().
starpu_task* CreateTry(const starpu_task* meta_task, const starpu_task* like, void (*check)(void*));
void SubmitTry(const starpu_task* meta_task, const starpu_task* like, void (*check)(void*));
// A `check` that submits tries until one succeeds.
void TryUntilItSucceeds(void* meta_task);
// Marks the calling try as failed.
void FailTry(starpu_task& task);
// Marks the task as succeeded, so that it may end.
void SucceedTry(const starpu_task* meta_task);

}  // namespace tasklens::runtime
