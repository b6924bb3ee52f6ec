// SPDX-License-Identifier: Apache-2.0
// starpu_task_insert() and its variants: build a task from an argument list. `site` is the source
// line of the call, if known.
#pragma once

#include <starpu.h>

#include <cstdarg>

#include "runtime/jobs/site.h"

namespace tasklens::runtime {

// Fills a task of the program. Returns 0, or -EINVAL (with a warning).
int FillTask(const Site& site, starpu_task* task, starpu_codelet* codelet, va_list args);
// Returns a new task, not submitted; nullptr if the arguments are invalid (with a warning) or
// memory is exhausted.
starpu_task* BuildTask(const Site& site, starpu_codelet* codelet, va_list args);
// Makes and submits a task. Returns 0, or the error, after destroying the task.
int InsertTask(const Site& site, starpu_codelet* codelet, va_list args);

}  // namespace tasklens::runtime
