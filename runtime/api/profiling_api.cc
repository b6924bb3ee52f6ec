// SPDX-License-Identifier: Apache-2.0
// Profiling information of tasks and workers, and the public functions about it.
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "runtime/core/trace_points.h"
#include "runtime/feedback/activity.h"
#include "runtime/feedback/task_times.h"
#include "runtime/support/environment.h"

namespace tasklens::runtime {
namespace {

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
}

long long* ValuesBehind(starpu_profiling_task_info* info) {
  return reinterpret_cast<long long*>(info + 1);
}

// What was asked for before starpu_init().
std::atomic<int>& StatusWithoutRuntime() {
  static std::atomic<int> status{STARPU_PROFILING_DISABLE};
  return status;
}

}  // namespace

// Values of hardware counters lie behind the information, which is freed as one.
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
  // One that the program made may have anything there.
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
  // (A policy of the program's own says itself when it chooses.)
  if (moment == &Info::push_end_time && !runtime.program_policy(ExistingJob(task)->context))
    breaks.At(TaskBreaks::kSched, task);
  if (moment == &Info::pop_end_time) breaks.At(TaskBreaks::kPop, task);
  if (moment == &Info::start_time) breaks.At(TaskBreaks::kExec, task);
}

}  // namespace tasklens::runtime

using tasklens::runtime::NowNs;
using tasklens::runtime::Runtime;

extern "C" {

int starpu_profiling_status_set(int status) {
  using namespace tasklens;  // NOLINT: Record's arguments
  Runtime* runtime = Runtime::Instance();
  Record<EventKind::kProfiling>(static_cast<uint32_t>(status != 0));
  if (!runtime) return runtime::StatusWithoutRuntime().exchange(status);
  const bool before = runtime->profiling.exchange(status != 0);
  for (auto& worker : runtime->workers()) {
    status ? worker->activity.TurnOn() : worker->activity.TurnOff();
  }
  return before ? STARPU_PROFILING_ENABLE : STARPU_PROFILING_DISABLE;
}

int starpu_profiling_status_get(void) {
  const Runtime* runtime = Runtime::Instance();
  if (!runtime) return tasklens::runtime::StatusWithoutRuntime().load();
  return runtime->profiling ? STARPU_PROFILING_ENABLE : STARPU_PROFILING_DISABLE;
}

void starpu_profiling_init(void) {
  if (tasklens::runtime::EnvironmentNumber("STARPU_PROFILING").value_or(0) > 0) {
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  }
}

int starpu_profiling_worker_get_info(int id, starpu_profiling_worker_info* info) {
  using namespace tasklens::runtime;  // NOLINT: the headings
  Runtime* runtime = Runtime::Instance();
  Worker* worker = runtime ? runtime->worker(id) : nullptr;
  if (!worker) return -EINVAL;
  const WorkerTimes times = worker->activity.Read(/*restart=*/true);
  if (!info) return 0;
  *info = {};
  info->start_time = ToTimespec(times.start_ns);
  info->total_time = ToTimespec(times.total_ns);
  info->executing_time = ToTimespec(times.split_ns[kExecutingHeading]);
  info->callback_time = ToTimespec(times.split_ns[kCallbackHeading]);
  info->waiting_time = ToTimespec(times.split_ns[kWaitingHeading]);
  info->sleeping_time = ToTimespec(times.split_ns[kSleepingHeading]);
  info->scheduling_time = ToTimespec(times.split_ns[kSchedulingHeading]);
  info->all_executing_time = ToTimespec(times.all_ns[kExecutingHeading]);
  info->all_callback_time = ToTimespec(times.all_ns[kCallbackHeading]);
  info->all_waiting_time = ToTimespec(times.all_ns[kWaitingHeading]);
  info->all_sleeping_time = ToTimespec(times.all_ns[kSleepingHeading]);
  info->all_scheduling_time = ToTimespec(times.all_ns[kSchedulingHeading]);
  info->executed_tasks = static_cast<int>(times.tasks);
  info->flops = times.flops;
  return 0;
}

double starpu_timing_timespec_to_us(timespec* time) {
  return static_cast<double>(time->tv_sec) * 1e6 + static_cast<double>(time->tv_nsec) * 1e-3;
}
double starpu_timing_timespec_delay_us(timespec* start, timespec* end) {
  return starpu_timing_timespec_to_us(end) - starpu_timing_timespec_to_us(start);
}
double starpu_timing_now(void) { return static_cast<double>(NowNs()) * 1e-3; }

}  // extern "C"
