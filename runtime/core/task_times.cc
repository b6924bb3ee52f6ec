// SPDX-License-Identifier: Apache-2.0
// Records the times of a task, and stops at task breaks.
#include "runtime/core/task_times.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/core/runtime.h"
#include "runtime/jobs/thread_state.h"

namespace tasklens::runtime {
namespace {

long long* ValuesBehind(starpu_profiling_task_info* info) {
  return reinterpret_cast<long long*>(info + 1);
}

}  // namespace

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
}

// The values of hardware counters lie behind the profiling_info in the same block.
void ProfileSubmission(starpu_task* task) {
  if (!task->profiling_info) {
    const HardwareCounters* const counters = Runtime::Instance()->hardware_counters();
    const size_t values = counters ? counters->codes().size() : 0;
    task->profiling_info = static_cast<starpu_profiling_task_info*>(
        calloc(1, sizeof(starpu_profiling_task_info) + values * sizeof(long long)));
    if (!task->profiling_info) return;
    if (values) task->profiling_info->papi_values = ValuesBehind(task->profiling_info);
  }
  task->profiling_info->workerid = -1;
  task->profiling_info->submit_time = ToTimespec(NowNs());
}

void NoteCounters(starpu_task* task, std::span<const long long> values, int event_set) {
  starpu_profiling_task_info* const info = task->profiling_info;
  // A profiling_info made by the program may have no room for them.
  if (!info || info->papi_values != ValuesBehind(info)) return;
  std::copy(values.begin(), values.end(), info->papi_values);
  info->papi_event_set = event_set;
}

void NoteMoment(starpu_task* task, Moment moment, uint64_t now_ns) {
  using Info = starpu_profiling_task_info;
  task->profiling_info->*moment = ToTimespec(now_ns);
  Runtime& runtime = *Runtime::Instance();
  if (moment == &Info::start_time) {
    const bool is_known = task->predicted > 0;
    if (Worker* self = ThisThread().worker)
      self->expected_end_ns = is_known ? now_ns + static_cast<uint64_t>(task->predicted * 1e3) : 0;
  }
  const TaskBreaks& breaks = runtime.task_breaks();
  if (!breaks.any()) return;
  if (moment == &Info::push_start_time) breaks.At(TaskBreaks::kPush, task);
  // (A policy of the program reports itself when it chooses.)
  if (moment == &Info::push_end_time && !runtime.program_policy(ExistingJob(task)->context))
    breaks.At(TaskBreaks::kSched, task);
  if (moment == &Info::pop_end_time) breaks.At(TaskBreaks::kPop, task);
  if (moment == &Info::start_time) breaks.At(TaskBreaks::kExec, task);
}

}  // namespace tasklens::runtime
