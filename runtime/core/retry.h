// SPDX-License-Identifier: Apache-2.0
// starpu_task_ft_*(): tasks that are tried again until they succeed.
//
// The task itself has its data, is ordered among the others, and does not run: its tries do, copies
// without an order of their own. It ends when its prologue has returned, so that nothing touches it
// any more, and a try has succeeded, whichever comes last.
#pragma once

#include <starpu.h>

namespace tasklens::runtime {

// The task that this thread is at: `function`, of the program's view, makes sense within one only.
starpu_task* TaskHere(const char* function);

// A try of `meta_task`, like `like`, which is that task or an earlier try. `check` is called with
// the task at the end of the try: it makes another one, or says that this one succeeded.
starpu_task* CreateTry(const starpu_task* meta_task, const starpu_task* like, void (*check)(void*));
void SubmitTry(const starpu_task* meta_task, const starpu_task* like, void (*check)(void*));
// A `check` that submits tries until one has not failed.
void TryUntilItSucceeds(void* meta_task);
// By a try: it has failed.
void FailTry(starpu_task& task);
// A try has succeeded: the task may end.
void SucceedTry(const starpu_task* meta_task);

}  // namespace tasklens::runtime
