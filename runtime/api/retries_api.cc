// SPDX-License-Identifier: Apache-2.0
// starpu_task_ft_*: tasks that are tried again until they succeed.
#include <starpu.h>

#include "runtime/core/retry.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_task_ft_prologue(void* check_ft) {
  starpu_task* const meta = TaskHere(__func__);
  SubmitTry(meta, meta,
            check_ft ? reinterpret_cast<void (*)(void*)>(check_ft) : TryUntilItSucceeds);
}
starpu_task* starpu_task_ft_create_retry(const starpu_task* meta_task,
                                         const starpu_task* template_task,
                                         void (*check_ft)(void*)) {
  return CreateTry(meta_task, template_task, check_ft);
}
void starpu_task_ft_failed(starpu_task* task) { FailTry(*task); }
void starpu_task_ft_success(starpu_task* meta_task) { SucceedTry(meta_task); }

}  // extern "C"
