// SPDX-License-Identifier: Apache-2.0
// starpu_task_insert(), starpu_task_build(), starpu_task_set().
#include <starpu.h>

#include <cstdarg>

#include "runtime/api/called_at.h"
#include "runtime/core/insert.h"

// The macros of the same names must not apply to these definitions.
#undef starpu_task_insert
#undef starpu_insert_task
#undef starpu_task_build
#undef starpu_task_set

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int _starpu_task_insert_at(const char* file, int line, const char* function,
                           starpu_codelet* codelet, ...) {
  va_list args;
  va_start(args, codelet);
  const int error = InsertTask(SiteOf(file, line, function), codelet, args);
  va_end(args);
  return error;
}

int starpu_task_insert(starpu_codelet* codelet, ...) {
  va_list args;
  va_start(args, codelet);
  const int error = InsertTask({}, codelet, args);
  va_end(args);
  return error;
}

int starpu_insert_task(starpu_codelet* codelet, ...) {
  va_list args;
  va_start(args, codelet);
  const int error = InsertTask({}, codelet, args);
  va_end(args);
  return error;
}

starpu_task* _starpu_task_build_at(const char* file, int line, const char* function,
                                   starpu_codelet* codelet, ...) {
  va_list args;
  va_start(args, codelet);
  starpu_task* task = BuildTask(SiteOf(file, line, function), codelet, args);
  va_end(args);
  return task;
}

starpu_task* starpu_task_build(starpu_codelet* codelet, ...) {
  va_list args;
  va_start(args, codelet);
  starpu_task* task = BuildTask({}, codelet, args);
  va_end(args);
  return task;
}

int _starpu_task_set_at(const char* file, int line, const char* function, starpu_task* task,
                        starpu_codelet* codelet, ...) {
  va_list args;
  va_start(args, codelet);
  const int error = FillTask(SiteOf(file, line, function), task, codelet, args);
  va_end(args);
  return error;
}

int starpu_task_set(starpu_task* task, starpu_codelet* codelet, ...) {
  va_list args;
  va_start(args, codelet);
  const int error = FillTask({}, task, codelet, args);
  va_end(args);
  return error;
}

}  // extern "C"
