// SPDX-License-Identifier: Apache-2.0
// starpu_data_acquire() and its variants, copies of data, and lookup of handles by address.
#include <starpu.h>

#include <cerrno>

#include "runtime/core/acquire.h"
#include "runtime/core/duplicates.h"
#include "runtime/data/lookup.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_data_acquire(starpu_data_handle_t handle, starpu_data_access_mode mode) {
  return AcquireNow(handle, STARPU_MAIN_RAM, mode);
}
int starpu_data_acquire_on_node(starpu_data_handle_t handle, int node,
                                starpu_data_access_mode mode) {
  return AcquiredNode(node) >= 0 ? AcquireNow(handle, AcquiredNode(node), mode) : -EINVAL;
}
int starpu_data_acquire_cb(starpu_data_handle_t handle, starpu_data_access_mode mode,
                           void (*callback)(void*), void* argument) {
  return AcquireLater(handle, STARPU_MAIN_RAM, mode, callback, argument, true);
}
int starpu_data_acquire_on_node_cb(starpu_data_handle_t handle, int node,
                                   starpu_data_access_mode mode, void (*callback)(void*),
                                   void* argument) {
  return AcquiredNode(node) >= 0
             ? AcquireLater(handle, AcquiredNode(node), mode, callback, argument, true)
             : -EINVAL;
}
int starpu_data_acquire_cb_sequential_consistency(starpu_data_handle_t handle,
                                                  starpu_data_access_mode mode,
                                                  void (*callback)(void*), void* argument,
                                                  int sequential) {
  return AcquireLater(handle, STARPU_MAIN_RAM, mode, callback, argument, sequential != 0);
}
int starpu_data_acquire_on_node_cb_sequential_consistency(starpu_data_handle_t handle, int node,
                                                          starpu_data_access_mode mode,
                                                          void (*callback)(void*), void* argument,
                                                          int sequential) {
  return AcquiredNode(node) >= 0
             ? AcquireLater(handle, AcquiredNode(node), mode, callback, argument, sequential != 0)
             : -EINVAL;
}
int starpu_data_acquire_on_node_cb_sequential_consistency_quick(
    starpu_data_handle_t handle, int node, starpu_data_access_mode mode, void (*callback)(void*),
    void* argument, int sequential, int) {
  return starpu_data_acquire_on_node_cb_sequential_consistency(handle, node, mode, callback,
                                                               argument, sequential);
}
int starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
    starpu_data_handle_t handle, int node, starpu_data_access_mode mode, void (*callback)(void*),
    void* argument, int sequential, int, long* pre_sync, long* post_sync) {
  if (AcquiredNode(node) < 0) return -EINVAL;
  return AcquireLater(handle, AcquiredNode(node), mode, callback, argument, sequential != 0,
                      pre_sync, post_sync);
}
int starpu_data_acquire_try(starpu_data_handle_t handle, starpu_data_access_mode mode) {
  return AcquireOrLeave(handle, STARPU_MAIN_RAM, mode);
}
int starpu_data_acquire_on_node_try(starpu_data_handle_t handle, int node,
                                    starpu_data_access_mode mode) {
  return AcquiredNode(node) >= 0 ? AcquireOrLeave(handle, AcquiredNode(node), mode) : -EINVAL;
}
void starpu_data_release(starpu_data_handle_t handle) { ReleaseData(handle); }
void starpu_data_release_on_node(starpu_data_handle_t handle, int) { ReleaseData(handle); }
void starpu_data_release_to(starpu_data_handle_t handle, starpu_data_access_mode mode) {
  ReleaseDataTo(handle, mode);
}
void starpu_data_release_to_on_node(starpu_data_handle_t handle, starpu_data_access_mode mode,
                                    int) {
  ReleaseDataTo(handle, mode);
}

int starpu_data_cpy(starpu_data_handle_t target, starpu_data_handle_t source, int asynchronous,
                    void (*callback)(void*), void* argument) {
  return starpu_data_cpy_priority(target, source, asynchronous, callback, argument,
                                  STARPU_DEFAULT_PRIO);
}

int starpu_data_cpy_priority(starpu_data_handle_t target, starpu_data_handle_t source,
                             int asynchronous, void (*callback)(void*), void* argument,
                             int priority) {
  return CopyData(target, source, !asynchronous, callback, argument, priority);
}

int starpu_data_dup_ro(starpu_data_handle_t* target, starpu_data_handle_t source,
                       int asynchronous) {
  return Duplicate(target, source, !asynchronous);
}
starpu_data_handle_t starpu_data_lookup(const void* pointer) { return FindHandle(pointer); }

}  // extern "C"
