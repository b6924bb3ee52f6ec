// SPDX-License-Identifier: Apache-2.0
// The functions behind the macros of starpu_call_sites.h: each sets the thread's call line and
// calls the plain function.
#include <starpu.h>

#include <cstdarg>
#include <vector>

#include "runtime/api/called_at.h"

using tasklens::runtime::CalledAt;

extern "C" {

#define SITE const char *file, int line, const char *function

int _starpu_task_wait_at(SITE, starpu_task* task) {
  const CalledAt at(file, line, function);
  return starpu_task_wait(task);
}
int _starpu_task_wait_array_at(SITE, starpu_task** tasks, unsigned count) {
  const CalledAt at(file, line, function);
  return starpu_task_wait_array(tasks, count);
}
int _starpu_task_wait_for_all_at(SITE) {
  const CalledAt at(file, line, function);
  return starpu_task_wait_for_all();
}
int _starpu_task_wait_for_n_submitted_at(SITE, unsigned n) {
  const CalledAt at(file, line, function);
  return starpu_task_wait_for_n_submitted(n);
}
int _starpu_task_wait_for_all_in_ctx_at(SITE, unsigned context) {
  const CalledAt at(file, line, function);
  return starpu_task_wait_for_all_in_ctx(context);
}
int _starpu_task_wait_for_n_submitted_in_ctx_at(SITE, unsigned context, unsigned n) {
  const CalledAt at(file, line, function);
  return starpu_task_wait_for_n_submitted_in_ctx(context, n);
}
int _starpu_task_wait_for_no_ready_at(SITE) {
  const CalledAt at(file, line, function);
  return starpu_task_wait_for_no_ready();
}
int _starpu_tag_wait_at(SITE, starpu_tag_t tag) {
  const CalledAt at(file, line, function);
  return starpu_tag_wait(tag);
}
int _starpu_tag_wait_array_at(SITE, unsigned count, starpu_tag_t* tags) {
  const CalledAt at(file, line, function);
  return starpu_tag_wait_array(count, tags);
}
void _starpu_tag_declare_deps_at(SITE, starpu_tag_t tag, unsigned count, ...) {
  std::vector<starpu_tag_t> deps(count);
  va_list args;
  va_start(args, count);
  for (starpu_tag_t& dep : deps) dep = va_arg(args, starpu_tag_t);
  va_end(args);
  const CalledAt at(file, line, function);
  starpu_tag_declare_deps_array(tag, count, deps.data());
}
void _starpu_tag_declare_deps_array_at(SITE, starpu_tag_t tag, unsigned count, starpu_tag_t* deps) {
  const CalledAt at(file, line, function);
  starpu_tag_declare_deps_array(tag, count, deps);
}
int _starpu_data_acquire_at(SITE, starpu_data_handle_t handle, starpu_data_access_mode mode) {
  const CalledAt at(file, line, function);
  return starpu_data_acquire(handle, mode);
}
int _starpu_data_acquire_on_node_at(SITE, starpu_data_handle_t handle, int node,
                                    starpu_data_access_mode mode) {
  const CalledAt at(file, line, function);
  return starpu_data_acquire_on_node(handle, node, mode);
}
int _starpu_data_acquire_cb_at(SITE, starpu_data_handle_t handle, starpu_data_access_mode mode,
                               void (*callback)(void*), void* argument) {
  const CalledAt at(file, line, function);
  return starpu_data_acquire_cb(handle, mode, callback, argument);
}
int _starpu_data_acquire_on_node_cb_at(SITE, starpu_data_handle_t handle, int node,
                                       starpu_data_access_mode mode, void (*callback)(void*),
                                       void* argument) {
  const CalledAt at(file, line, function);
  return starpu_data_acquire_on_node_cb(handle, node, mode, callback, argument);
}
void _starpu_data_unregister_at(SITE, starpu_data_handle_t handle) {
  const CalledAt at(file, line, function);
  starpu_data_unregister(handle);
}
void _starpu_data_unregister_no_coherency_at(SITE, starpu_data_handle_t handle) {
  const CalledAt at(file, line, function);
  starpu_data_unregister_no_coherency(handle);
}
void _starpu_data_partition_at(SITE, starpu_data_handle_t handle, starpu_data_filter* filter) {
  const CalledAt at(file, line, function);
  starpu_data_partition(handle, filter);
}
void _starpu_data_unpartition_at(SITE, starpu_data_handle_t handle, unsigned node) {
  const CalledAt at(file, line, function);
  starpu_data_unpartition(handle, node);
}
void _starpu_data_partition_submit_at(SITE, starpu_data_handle_t handle, unsigned parts,
                                      starpu_data_handle_t* children) {
  const CalledAt at(file, line, function);
  starpu_data_partition_submit(handle, parts, children);
}
void _starpu_data_unpartition_submit_at(SITE, starpu_data_handle_t handle, unsigned parts,
                                        starpu_data_handle_t* children, int node) {
  const CalledAt at(file, line, function);
  starpu_data_unpartition_submit(handle, parts, children, node);
}
void _starpu_data_invalidate_submit_at(SITE, starpu_data_handle_t handle) {
  const CalledAt at(file, line, function);
  starpu_data_invalidate_submit(handle);
}
int _starpu_data_cpy_at(SITE, starpu_data_handle_t target, starpu_data_handle_t source,
                        int asynchronous, void (*callback)(void*), void* argument) {
  const CalledAt at(file, line, function);
  return starpu_data_cpy(target, source, asynchronous, callback, argument);
}

#undef SITE

}  // extern "C"
