// SPDX-License-Identifier: Apache-2.0
// The moments of a task's life for starpu_task::profiling_info, taken only while profiling is on.
#pragma once

#include <starpu.h>

#include <span>

#include "runtime/support/clock.h"

namespace tasklens::runtime {

timespec ToTimespec(uint64_t ns);

// Gives the task its profiling information if it has none, and notes its submission.
void ProfileSubmission(starpu_task* task);

// Puts what hardware counters say of the task into that information, where the runtime made it.
void NoteCounters(starpu_task* task, std::span<const long long> values, int event_set);

// Notes that it is now `moment`, one of the fields of starpu_profiling_task_info, for a task that
// has that information.
using Moment = timespec starpu_profiling_task_info::*;
void NoteMoment(starpu_task* task, Moment moment, uint64_t now_ns);
inline void ProfileMoment(starpu_task* task, Moment moment) {
  if (task->profiling_info) [[unlikely]]
    NoteMoment(task, moment, NowNs());
}

}  // namespace tasklens::runtime
