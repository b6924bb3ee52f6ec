// SPDX-License-Identifier: Apache-2.0
// The counterparts of OpenMP's omp_...() functions: start, getters and setters, time.
#include <starpu.h>

#include <algorithm>
#include <climits>

#include "runtime/core/runtime.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/openmp/state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime::openmp {
namespace {

Icvs& IcvsOf(const char* function) { return State::Get(function).Current().icvs; }
const Region& RegionOf(const char* function) { return *State::Get(function).Current().region; }

// Calls use(region, thread) for the enclosing region of that level and returns its result; -1 if
// there is none.
template <class Use>
int AtLevel(const char* function, int level, Use&& use) {
  State& state = State::Get(function);
  const Task& task = state.Current();
  const Region* region = task.region;
  int thread = state.ThreadOf(task);
  if (level < 0 || level > region->level) return -1;
  for (; region->level > level; region = region->parent) thread = region->parent_thread;
  return use(*region, thread);
}

// The worker with this number among the bound CPU workers, or nullptr.
const Worker* PlaceOf(const char* function, int number) {
  for (const int id : State::Get(function).cpu_workers()) {
    const Worker* const worker = Runtime::Instance()->worker(id);
    if (worker->os_cpu >= 0 && number-- == 0) return worker;
  }
  return nullptr;
}

int CountPlaces(const char* function) {
  int count = 0;
  while (PlaceOf(function, count)) ++count;
  return count;
}

}  // namespace
}  // namespace tasklens::runtime::openmp

using namespace tasklens::runtime;          // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime::openmp;  // NOLINT

extern "C" {

int starpu_omp_init(void) { return State::Start(); }
void starpu_omp_shutdown(void) { State::Stop(); }

// --- Threads and teams ---

void starpu_omp_set_num_threads(int threads) {
  if (threads < 1)
    return Warn("starpu_omp_set_num_threads(%d) is ignored: it must be at least 1", threads);
  IcvsOf(__func__).num_threads.value = threads;
}
int starpu_omp_get_num_threads(void) { return RegionOf(__func__).threads; }
int starpu_omp_get_thread_num(void) {
  State& state = State::Get(__func__);
  return state.ThreadOf(state.Current());
}
int starpu_omp_get_max_threads(void) { return IcvsOf(__func__).num_threads.value; }
int starpu_omp_get_num_procs(void) {
  return static_cast<int>(State::Get(__func__).cpu_workers().size());
}
int starpu_omp_get_thread_limit(void) { return IcvsOf(__func__).thread_limit; }
int starpu_omp_in_parallel(void) { return RegionOf(__func__).active_level > 0; }
int starpu_omp_get_level(void) { return RegionOf(__func__).level; }
int starpu_omp_get_active_level(void) { return RegionOf(__func__).active_level; }
int starpu_omp_get_ancestor_thread_num(int level) {
  return AtLevel(__func__, level, [](const Region&, int thread) { return thread; });
}
int starpu_omp_get_team_size(int level) {
  return AtLevel(__func__, level, [](const Region& region, int) { return region.threads; });
}
int starpu_omp_in_final(void) { return State::Get(__func__).Current().is_final; }

// --- How regions and loops will be ---

void starpu_omp_set_dynamic(int dynamic_threads) {
  IcvsOf(__func__).dynamic = dynamic_threads != 0;
}
int starpu_omp_get_dynamic(void) { return IcvsOf(__func__).dynamic; }
void starpu_omp_set_nested(int nested) {
  IcvsOf(__func__).max_active_levels = nested ? INT_MAX : 1;
}
int starpu_omp_get_nested(void) { return IcvsOf(__func__).max_active_levels > 1; }
void starpu_omp_set_max_active_levels(int max_levels) {
  if (max_levels < 0)
    return Warn("starpu_omp_set_max_active_levels(%d) is ignored: it must not be negative",
                max_levels);
  IcvsOf(__func__).max_active_levels = max_levels;
}
int starpu_omp_get_max_active_levels(void) { return IcvsOf(__func__).max_active_levels; }
void starpu_omp_set_schedule(starpu_omp_sched_value kind, int modifier) {
  if (kind < starpu_omp_sched_static || kind > starpu_omp_sched_auto)
    return Warn("starpu_omp_set_schedule() is ignored: there is no schedule %d", kind);
  Icvs& icvs = IcvsOf(__func__);
  icvs.schedule = kind;
  icvs.schedule_chunk = std::max(modifier, 0);
}
void starpu_omp_get_schedule(starpu_omp_sched_value* kind, int* modifier) {
  const Icvs& icvs = IcvsOf(__func__);
  *kind = icvs.schedule;
  *modifier = icvs.schedule_chunk;
}
int starpu_omp_get_cancellation(void) { return State::Get(__func__).environment().cancellation; }
int starpu_omp_get_max_task_priority(void) {
  return std::max(State::Get(__func__).environment().max_task_priority, 0);
}

// --- Places: one for each CPU worker that is bound, with the unit that it is bound to ---

starpu_omp_proc_bind_value starpu_omp_get_proc_bind(void) {
  return IcvsOf(__func__).proc_bind.value;
}
int starpu_omp_get_num_places(void) { return CountPlaces(__func__); }
int starpu_omp_get_place_num_procs(int place_num) {
  return PlaceOf(__func__, place_num) != nullptr;
}
void starpu_omp_get_place_proc_ids(int place_num, int* ids) {
  if (const Worker* const worker = PlaceOf(__func__, place_num)) *ids = worker->os_cpu;
}
int starpu_omp_get_place_num(void) {
  const Worker* const self = ThisThread().worker;
  for (int place = 0;; ++place) {
    const Worker* const worker = PlaceOf(__func__, place);
    if (!worker) return -1;
    if (worker == self) return place;
  }
}
int starpu_omp_get_partition_num_places(void) { return CountPlaces(__func__); }
void starpu_omp_get_partition_place_nums(int* place_nums) {
  const int count = CountPlaces(__func__);
  for (int place = 0; place < count; ++place) place_nums[place] = place;
}

// --- Devices: programs see the host alone, the scheduler chooses where a task runs ---

void starpu_omp_set_default_device(int device_num) { IcvsOf(__func__).default_device = device_num; }
int starpu_omp_get_default_device(void) { return IcvsOf(__func__).default_device; }
int starpu_omp_get_num_devices(void) { return 1; }
int starpu_omp_get_initial_device(void) { return 0; }
int starpu_omp_is_initial_device(void) { return 1; }
int starpu_omp_get_num_teams(void) { return 1; }
int starpu_omp_get_team_num(void) { return 0; }

// --- Time ---

double starpu_omp_get_wtime(void) {
  return static_cast<double>(NowNs()) * 1e-9 - State::Get(__func__).start_seconds();
}
double starpu_omp_get_wtick(void) { return 1e-9; }

}  // extern "C"
