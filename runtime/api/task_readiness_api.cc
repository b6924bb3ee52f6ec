// SPDX-License-Identifier: Apache-2.0
// How far the data of a task are where a worker computes, and priorities as numbers from 0.
#include <schedulers/starpu_scheduler_toolbox.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/api/task_readiness.h"
#include "runtime/core/specific_nodes.h"

namespace tasklens::runtime {
namespace {

// Calls f(data, mode, node) for each of a task's data that a copy may have to be made of, and where
// the worker uses it.
template <class F>
void ForEachPlaced(starpu_task* task, unsigned worker, F f) {
  const unsigned local = starpu_worker_get_memory_node(worker);
  const unsigned count = STARPU_TASK_GET_NBUFFERS(task);
  for (unsigned i = 0; i < count; ++i) {
    const starpu_data_access_mode mode = STARPU_TASK_GET_MODE(task, i);
    if (mode & (STARPU_SCRATCH | STARPU_REDUX)) continue;
    const int node = NodeFor(*task, i, local);
    if (node != kNoNode) f(STARPU_TASK_GET_HANDLE(task, i), mode, node);
  }
}

}  // namespace

bool SetFirstImplementation(starpu_task* task, unsigned worker) {
  unsigned implementation = 0;
  if (!starpu_worker_can_execute_task_first_impl(worker, task, &implementation)) return false;
  starpu_task_set_implementation(task, implementation);
  return true;
}

starpu_task* MostReady(starpu_task* first, unsigned worker) {
  using Lacking = std::array<size_t, 3>;  // bytes, in the order in which they count
  constexpr Lacking kNothing = {};
  starpu_task* best = nullptr;
  Lacking least = {};
  for (starpu_task* task = first; task; task = task->next) {
    if (task->priority < first->priority) continue;
    Lacking lacking;
    starpu_st_non_ready_buffers_size(task, worker, &lacking[0], &lacking[1], &lacking[2]);
    if (best && lacking >= least) continue;
    best = task;
    least = lacking;
    if (least == kNothing) break;
  }
  return best;
}

}  // namespace tasklens::runtime

extern "C" {

int starpu_st_normalize_prio(int priority, int num_priorities, unsigned sched_ctx_id) {
  const int64_t lowest = starpu_sched_ctx_get_min_priority(sched_ctx_id);
  const int64_t highest = starpu_sched_ctx_get_max_priority(sched_ctx_id);
  if (lowest >= highest) return 0;
  const int64_t within = std::clamp<int64_t>(priority, lowest, highest);
  return static_cast<int>((within - lowest) * (num_priorities - 1) / (highest - lowest));
}

int starpu_st_non_ready_buffers_count(starpu_task* task, unsigned worker) {
  int count = 0;
  tasklens::runtime::ForEachPlaced(
      task, worker, [&](starpu_data_handle_t data, starpu_data_access_mode, int node) {
        int valid;
        starpu_data_query_status2(data, node, nullptr, &valid, nullptr, nullptr);
        if (!valid) ++count;
      });
  return count;
}

void starpu_st_non_ready_buffers_size(starpu_task* task, unsigned worker, size_t* not_ready,
                                      size_t* not_loading, size_t* not_allocated) {
  *not_ready = *not_loading = *not_allocated = 0;
  tasklens::runtime::ForEachPlaced(
      task, worker, [&](starpu_data_handle_t data, starpu_data_access_mode mode, int node) {
        int allocated, valid, loading;
        starpu_data_query_status2(data, node, &allocated, &valid, &loading, nullptr);
        const size_t bytes = starpu_data_get_size(data);
        if (!allocated) *not_allocated += bytes;
        if (!(mode & STARPU_R) || valid) return;
        *not_ready += bytes;
        if (!loading) *not_loading += bytes;
      });
}

}  // extern "C"
