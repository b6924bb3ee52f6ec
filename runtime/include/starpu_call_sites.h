/* SPDX-License-Identifier: Apache-2.0
 * Where the program waits for tasks, and where it orders them without submitting any: each macro
 * here is its function, and tells the trace the line of the call. The functions themselves, as a
 * pointer or from another language, tell no line.
 *
 * Last of the headers, as the macros hide the functions' declarations. */
#ifndef __STARPU_CALL_SITES_H__
#define __STARPU_CALL_SITES_H__

#include <starpu_data.h>
#include <starpu_data_filters.h>
#include <starpu_helper.h>
#include <starpu_task.h>
#include <starpu_task_dep.h>
#include <starpu_util.h>

#ifdef __cplusplus
extern "C" {
#endif

#define _STARPU_SITE const char *file, int line, const char *function
int _starpu_task_wait_at(_STARPU_SITE, struct starpu_task* task) STARPU_WARN_UNUSED_RESULT;
int _starpu_task_wait_array_at(_STARPU_SITE, struct starpu_task** tasks,
                               unsigned nb_tasks) STARPU_WARN_UNUSED_RESULT;
int _starpu_task_wait_for_all_at(_STARPU_SITE);
int _starpu_task_wait_for_n_submitted_at(_STARPU_SITE, unsigned n);
int _starpu_task_wait_for_all_in_ctx_at(_STARPU_SITE, unsigned sched_ctx_id);
int _starpu_task_wait_for_n_submitted_in_ctx_at(_STARPU_SITE, unsigned sched_ctx_id, unsigned n);
int _starpu_task_wait_for_no_ready_at(_STARPU_SITE);
int _starpu_tag_wait_at(_STARPU_SITE, starpu_tag_t id);
int _starpu_tag_wait_array_at(_STARPU_SITE, unsigned ntags, starpu_tag_t* id);
void _starpu_tag_declare_deps_at(_STARPU_SITE, starpu_tag_t id, unsigned ndeps, ...);
void _starpu_tag_declare_deps_array_at(_STARPU_SITE, starpu_tag_t id, unsigned ndeps,
                                       starpu_tag_t* array);
int _starpu_data_acquire_at(_STARPU_SITE, starpu_data_handle_t handle,
                            enum starpu_data_access_mode mode);
int _starpu_data_acquire_on_node_at(_STARPU_SITE, starpu_data_handle_t handle, int node,
                                    enum starpu_data_access_mode mode);
int _starpu_data_acquire_cb_at(_STARPU_SITE, starpu_data_handle_t handle,
                               enum starpu_data_access_mode mode, void (*callback)(void*),
                               void* arg);
int _starpu_data_acquire_on_node_cb_at(_STARPU_SITE, starpu_data_handle_t handle, int node,
                                       enum starpu_data_access_mode mode, void (*callback)(void*),
                                       void* arg);
void _starpu_data_unregister_at(_STARPU_SITE, starpu_data_handle_t handle);
void _starpu_data_unregister_no_coherency_at(_STARPU_SITE, starpu_data_handle_t handle);
void _starpu_data_partition_at(_STARPU_SITE, starpu_data_handle_t handle,
                               struct starpu_data_filter* f);
void _starpu_data_unpartition_at(_STARPU_SITE, starpu_data_handle_t handle, unsigned node);
void _starpu_data_partition_submit_at(_STARPU_SITE, starpu_data_handle_t handle, unsigned nparts,
                                      starpu_data_handle_t* children);
void _starpu_data_unpartition_submit_at(_STARPU_SITE, starpu_data_handle_t handle, unsigned nparts,
                                        starpu_data_handle_t* children, int node);
void _starpu_data_invalidate_submit_at(_STARPU_SITE, starpu_data_handle_t handle);
int _starpu_data_cpy_at(_STARPU_SITE, starpu_data_handle_t dst, starpu_data_handle_t src,
                        int asynchronous, void (*callback)(void*), void* arg);
#undef _STARPU_SITE

#ifdef __cplusplus
}
#endif

/* A library that defines some of these functions itself does without. */
#ifndef STARPU_NO_CALL_SITES

#define _STARPU_HERE STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION
#define starpu_task_wait(...) _starpu_task_wait_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_task_wait_array(...) _starpu_task_wait_array_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_task_wait_for_all() _starpu_task_wait_for_all_at(_STARPU_HERE)
#define starpu_task_wait_for_n_submitted(...) \
  _starpu_task_wait_for_n_submitted_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_task_wait_for_all_in_ctx(...) \
  _starpu_task_wait_for_all_in_ctx_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_task_wait_for_n_submitted_in_ctx(...) \
  _starpu_task_wait_for_n_submitted_in_ctx_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_task_wait_for_no_ready() _starpu_task_wait_for_no_ready_at(_STARPU_HERE)
#define starpu_tag_wait(...) _starpu_tag_wait_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_tag_wait_array(...) _starpu_tag_wait_array_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_tag_declare_deps(...) _starpu_tag_declare_deps_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_tag_declare_deps_array(...) \
  _starpu_tag_declare_deps_array_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_acquire(...) _starpu_data_acquire_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_acquire_on_node(...) _starpu_data_acquire_on_node_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_acquire_cb(...) _starpu_data_acquire_cb_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_acquire_on_node_cb(...) \
  _starpu_data_acquire_on_node_cb_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_unregister(...) _starpu_data_unregister_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_unregister_no_coherency(...) \
  _starpu_data_unregister_no_coherency_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_partition(...) _starpu_data_partition_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_unpartition(...) _starpu_data_unpartition_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_partition_submit(...) \
  _starpu_data_partition_submit_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_unpartition_submit(...) \
  _starpu_data_unpartition_submit_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_invalidate_submit(...) \
  _starpu_data_invalidate_submit_at(_STARPU_HERE, __VA_ARGS__)
#define starpu_data_cpy(...) _starpu_data_cpy_at(_STARPU_HERE, __VA_ARGS__)

#endif
#endif
