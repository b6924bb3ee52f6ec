// SPDX-License-Identifier: Apache-2.0
// starpu_task_insert() and its kin: from an argument list to a task. `site` is the line of the
// call, if the program told.
#pragma once

#include <starpu.h>

#include <cstdarg>

#include "runtime/jobs/site.h"

namespace tasklens::runtime {

// Fills a task that the program has. 0 or -EINVAL, with a line.
int FillTask(const Site& site, starpu_task* task, starpu_codelet* codelet, va_list args);
// A new task, not submitted; nullptr: its arguments make no sense, which a line says, or there is
// no memory.
starpu_task* BuildTask(const Site& site, starpu_codelet* codelet, va_list args);
// A new task, submitted. 0, or the error; the task is gone then.
int InsertTask(const Site& site, starpu_codelet* codelet, va_list args);

}  // namespace tasklens::runtime
