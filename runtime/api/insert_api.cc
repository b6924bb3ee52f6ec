// SPDX-License-Identifier: Apache-2.0
// starpu_task_insert(), starpu_task_build(), starpu_task_set().
#include <starpu.h>

#include "runtime/api/called_at.h"
#include "runtime/core/insert.h"
#include "runtime/support/arguments.h"

// The macros of the same names must not apply to these definitions.
#undef starpu_task_insert
#undef starpu_insert_task
#undef starpu_task_build
#undef starpu_task_set

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int _starpu_task_insert_at(const char* file, int line, const char* function,
                           starpu_codelet* codelet, ...) {
  RETURN_WITH_ARGS_AFTER(codelet, InsertTask(SiteOf(file, line, function), codelet, args));
}

int starpu_task_insert(starpu_codelet* codelet, ...) {
  RETURN_WITH_ARGS_AFTER(codelet, InsertTask({}, codelet, args));
}

int starpu_insert_task(starpu_codelet* codelet, ...) {
  RETURN_WITH_ARGS_AFTER(codelet, InsertTask({}, codelet, args));
}

starpu_task* _starpu_task_build_at(const char* file, int line, const char* function,
                                   starpu_codelet* codelet, ...) {
  RETURN_WITH_ARGS_AFTER(codelet, BuildTask(SiteOf(file, line, function), codelet, args));
}

starpu_task* starpu_task_build(starpu_codelet* codelet, ...) {
  RETURN_WITH_ARGS_AFTER(codelet, BuildTask({}, codelet, args));
}

int _starpu_task_set_at(const char* file, int line, const char* function, starpu_task* task,
                        starpu_codelet* codelet, ...) {
  RETURN_WITH_ARGS_AFTER(codelet, FillTask(SiteOf(file, line, function), task, codelet, args));
}

int starpu_task_set(starpu_task* task, starpu_codelet* codelet, ...) {
  RETURN_WITH_ARGS_AFTER(codelet, FillTask({}, task, codelet, args));
}

}  // extern "C"
