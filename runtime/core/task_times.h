// SPDX-License-Identifier: Apache-2.0
// Records the times of a task's life in starpu_task::profiling_info, only while profiling is on.
#pragma once

#include <starpu.h>

#include <span>

#include "runtime/support/clock.h"

namespace tasklens::runtime {

timespec ToTimespec(uint64_t ns);

// Gives the task a profiling_info if it has none, and records the submission time.
void ProfileSubmission(starpu_task* task);

// Copies the values of the hardware counters into the task's profiling_info, if the runtime
// allocated that.
void NoteCounters(starpu_task* task, std::span<const long long> values, int event_set);

// Sets `moment`, a field of starpu_profiling_task_info, to now. REQUIRES: the task has a
// profiling_info.
using Moment = timespec starpu_profiling_task_info::*;
void NoteMoment(starpu_task* task, Moment moment, uint64_t now_ns);
inline void ProfileMoment(starpu_task* task, Moment moment) {
  if (task->profiling_info) [[unlikely]]
    NoteMoment(task, moment, NowNs());
}

}  // namespace tasklens::runtime
