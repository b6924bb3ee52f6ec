// SPDX-License-Identifier: Apache-2.0
// Profiling information, and the public functions about it.
#include "runtime/core/profiling.h"

#include <cerrno>
#include <cstdlib>

#include "runtime/core/environment.h"
#include "runtime/core/trace_points.h"

namespace tasklens::runtime {
namespace {

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
}

// What was asked for before starpu_init().
std::atomic<int>& StatusWithoutRuntime() {
  static std::atomic<int> status{STARPU_PROFILING_DISABLE};
  return status;
}

}  // namespace

void ProfileSubmission(starpu_task* task) {
  if (!task->profiling_info) {
    task->profiling_info =
        static_cast<starpu_profiling_task_info*>(calloc(1, sizeof(starpu_profiling_task_info)));
    if (!task->profiling_info) return;
  }
  task->profiling_info->workerid = -1;
  task->profiling_info->submit_time = ToTimespec(NowNs());
}

void ProfilePushed(starpu_task* task) {
  if (task->profiling_info) task->profiling_info->push_end_time = ToTimespec(NowNs());
}

void ProfiledRun::Begin() {
  start_ns_ = NowNs();
  if (starpu_profiling_task_info* info = task_.profiling_info) {
    info->workerid = worker_.id;
    info->pop_end_time = info->acquire_data_end_time = info->start_time = ToTimespec(start_ns_);
  }
}

void ProfiledRun::Account() {
  const uint64_t end_ns = NowNs();
  if (starpu_profiling_task_info* info = task_.profiling_info) {
    info->end_time = info->release_data_start_time = ToTimespec(end_ns);
  }
  worker_.executing_ns.fetch_add(end_ns - start_ns_, std::memory_order_relaxed);
  worker_.flops.store(worker_.flops.load(std::memory_order_relaxed) + task_.flops,
                      std::memory_order_relaxed);
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
  if (status && !before) {
    for (auto& worker : runtime->workers()) {
      worker->executing_ns = 0;
      worker->sleeping_ns = 0;
      worker->flops = 0;
      worker->executed = 0;
      worker->info_start_ns = NowNs();
    }
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
  Runtime* runtime = Runtime::Instance();
  tasklens::runtime::Worker* worker = runtime ? runtime->worker(id) : nullptr;
  if (!worker) return -EINVAL;
  const uint64_t now = NowNs();
  const uint64_t start = worker->info_start_ns.exchange(now);
  const uint64_t executing = worker->executing_ns.exchange(0);
  const uint64_t sleeping = worker->sleeping_ns.exchange(0);
  const double flops = worker->flops.exchange(0);
  const uint64_t executed = worker->executed.exchange(0);
  if (!info) return 0;
  *info = {};
  info->start_time = tasklens::runtime::ToTimespec(start);
  info->total_time = tasklens::runtime::ToTimespec(now - start);
  info->executing_time = tasklens::runtime::ToTimespec(executing);
  info->sleeping_time = tasklens::runtime::ToTimespec(sleeping);
  info->executed_tasks = static_cast<int>(executed);
  info->flops = flops;
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
