// SPDX-License-Identifier: Apache-2.0
// The public functions on profiling: switch it on and off, and query the times of workers.
#include <cerrno>
#include <cstdlib>

#include "runtime/core/runtime.h"
#include "runtime/core/task_times.h"
#include "runtime/core/trace_points.h"
#include "runtime/feedback/activity.h"
#include "runtime/support/environment.h"

namespace tasklens::runtime {
namespace {

// The status set before starpu_init().
std::atomic<int>& StatusWithoutRuntime() {
  static std::atomic<int> status{STARPU_PROFILING_DISABLE};
  return status;
}

}  // namespace

}  // namespace tasklens::runtime

using tasklens::runtime::NowNs;
using tasklens::runtime::Runtime;

extern "C" {

int starpu_profiling_status_set(int status) {
  using namespace tasklens;  // NOLINT: Record's arguments
  Runtime* runtime = Runtime::Instance();
  Record<EventKind::kProfiling>(static_cast<uint32_t>(status != 0));
  if (!runtime) return runtime::StatusWithoutRuntime().exchange(status);
  const bool before = runtime->settings.profiling.exchange(status != 0);
  for (auto& worker : runtime->workers()) {
    status ? worker->activity.TurnOn() : worker->activity.TurnOff();
  }
  return before ? STARPU_PROFILING_ENABLE : STARPU_PROFILING_DISABLE;
}

int starpu_profiling_status_get(void) {
  const Runtime* runtime = Runtime::Instance();
  if (!runtime) return tasklens::runtime::StatusWithoutRuntime().load();
  return runtime->settings.profiling ? STARPU_PROFILING_ENABLE : STARPU_PROFILING_DISABLE;
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
