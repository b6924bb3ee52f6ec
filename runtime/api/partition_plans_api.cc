// SPDX-License-Identifier: Apache-2.0
// starpu_data_partition_plan() and related functions: asynchronous partitioning of handles.
#include <starpu.h>

#include "runtime/core/partitions.h"
#include "runtime/data/handle.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

// Defines the functions that switch a plan on, with sequential consistency or without.
#define PARTITION_SUBMIT(name, writes)                                              \
  void starpu_data_##name##_submit_sequential_consistency(                          \
      starpu_data_handle_t handle, unsigned count, starpu_data_handle_t* children,  \
      int sequential) {                                                             \
    SwitchPlanOn(handle, {children, count}, writes, "starpu_data_" #name "_submit", \
                 {.ordered = sequential != 0});                                     \
  }                                                                                 \
  void starpu_data_##name##_submit(starpu_data_handle_t handle, unsigned count,     \
                                   starpu_data_handle_t* children) {                \
    starpu_data_##name##_submit_sequential_consistency(handle, count, children, 1); \
  }

extern "C" {

int starpu_data_partition_get_nplans(starpu_data_handle_t handle) {
  return static_cast<int>(handle->plans.size());
}

void starpu_data_partition_plan(starpu_data_handle_t handle, starpu_data_filter* filter,
                                starpu_data_handle_t* children) {
  MakePlan(handle, filter, children);
}

PARTITION_SUBMIT(partition, /*writes=*/true)
PARTITION_SUBMIT(partition_readonly, /*writes=*/false)
void starpu_data_partition_readwrite_upgrade_submit(starpu_data_handle_t handle, unsigned count,
                                                    starpu_data_handle_t* children) {
  SwitchPlanOn(handle, {children, count}, /*writes=*/true, __func__);
}
void starpu_data_partition_readonly_downgrade_submit(starpu_data_handle_t handle, unsigned count,
                                                     starpu_data_handle_t* children) {
  DowngradePlan(handle, {children, count}, __func__);
}

void starpu_data_unpartition_submit(starpu_data_handle_t handle, unsigned count,
                                    starpu_data_handle_t* children, int node) {
  starpu_data_unpartition_submit_sequential_consistency(handle, count, children, node, 1);
}
void starpu_data_unpartition_submit_sequential_consistency(starpu_data_handle_t handle,
                                                           unsigned count,
                                                           starpu_data_handle_t* children, int node,
                                                           int sequential_consistency) {
  starpu_data_unpartition_submit_sequential_consistency_cb(
      handle, count, children, node, sequential_consistency, nullptr, nullptr);
}
void starpu_data_unpartition_submit_sequential_consistency_cb(
    starpu_data_handle_t handle, unsigned count, starpu_data_handle_t* children, int,
    int sequential_consistency, void (*callback)(void*), void* argument) {
  SwitchPlanOff(handle, {children, count}, "starpu_data_unpartition_submit",
                {sequential_consistency != 0, callback, argument});
}
void starpu_data_unpartition_submit_r(starpu_data_handle_t handle, int) { SwitchPlansOff(handle); }
void starpu_data_unpartition_readonly_submit(starpu_data_handle_t handle, unsigned count,
                                             starpu_data_handle_t* children, int) {
  DowngradePlan(handle, {children, count}, __func__);
}
void starpu_data_partition_not_automatic(starpu_data_handle_t handle) {
  handle->switches_itself = false;
}

void starpu_data_partition_clean_node(starpu_data_handle_t handle, unsigned count,
                                      starpu_data_handle_t* children, int) {
  ForgetPlan(handle, {children, count}, "starpu_data_partition_clean");
}
void starpu_data_partition_clean(starpu_data_handle_t handle, unsigned count,
                                 starpu_data_handle_t* children) {
  starpu_data_partition_clean_node(handle, count, children, STARPU_MAIN_RAM);
}

}  // extern "C"
