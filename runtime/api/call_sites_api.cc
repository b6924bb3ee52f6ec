// SPDX-License-Identifier: Apache-2.0
// The functions behind the macros of starpu_call_sites.h: each sets the thread's call line and
// calls the plain function.
#include <starpu.h>

#include "runtime/api/called_at.h"
#include "runtime/support/arguments.h"

using tasklens::runtime::CalledAt;
using tasklens::runtime::ReadArgs;

// Defines _starpu_NAME_at() with the parameters of starpu_NAME(), and how they are passed on.
#define AT(Result, name, arguments, ...)                                        \
  Result _starpu_##name##_at(const char* file, int line,                        \
                             const char* function __VA_OPT__(, ) __VA_ARGS__) { \
    const CalledAt at(file, line, function);                                    \
    return starpu_##name arguments;                                             \
  }

extern "C" {

AT(int, task_wait, (task), starpu_task* task)
AT(int, task_wait_array, (tasks, count), starpu_task** tasks, unsigned count)
AT(int, task_wait_for_all, ())
AT(int, task_wait_for_n_submitted, (n), unsigned n)
AT(int, task_wait_for_all_in_ctx, (context), unsigned context)
AT(int, task_wait_for_n_submitted_in_ctx, (context, n), unsigned context, unsigned n)
AT(int, task_wait_for_no_ready, ())
AT(int, tag_wait, (tag), starpu_tag_t tag)
AT(int, tag_wait_array, (count, tags), unsigned count, starpu_tag_t* tags)
void _starpu_tag_declare_deps_at(const char* file, int line, const char* function, starpu_tag_t tag,
                                 unsigned count, ...) {
  WITH_ARGS_AFTER(count, auto deps = ReadArgs<starpu_tag_t>(count, args));
  const CalledAt at(file, line, function);
  starpu_tag_declare_deps_array(tag, count, deps.data());
}
AT(void, tag_declare_deps_array, (tag, count, deps), starpu_tag_t tag, unsigned count,
   starpu_tag_t* deps)
AT(int, data_acquire, (handle, mode), starpu_data_handle_t handle, starpu_data_access_mode mode)
AT(int, data_acquire_on_node, (handle, node, mode), starpu_data_handle_t handle, int node,
   starpu_data_access_mode mode)
AT(int, data_acquire_cb, (handle, mode, callback, argument), starpu_data_handle_t handle,
   starpu_data_access_mode mode, void (*callback)(void*), void* argument)
AT(int, data_acquire_on_node_cb, (handle, node, mode, callback, argument),
   starpu_data_handle_t handle, int node, starpu_data_access_mode mode, void (*callback)(void*),
   void* argument)
AT(void, data_unregister, (handle), starpu_data_handle_t handle)
AT(void, data_unregister_no_coherency, (handle), starpu_data_handle_t handle)
AT(void, data_partition, (handle, filter), starpu_data_handle_t handle, starpu_data_filter* filter)
AT(void, data_unpartition, (handle, node), starpu_data_handle_t handle, unsigned node)
AT(void, data_partition_submit, (handle, parts, children), starpu_data_handle_t handle,
   unsigned parts, starpu_data_handle_t* children)
AT(void, data_unpartition_submit, (handle, parts, children, node), starpu_data_handle_t handle,
   unsigned parts, starpu_data_handle_t* children, int node)
AT(void, data_invalidate_submit, (handle), starpu_data_handle_t handle)
AT(int, data_cpy, (target, source, asynchronous, callback, argument), starpu_data_handle_t target,
   starpu_data_handle_t source, int asynchronous, void (*callback)(void*), void* argument)

#undef AT

}  // extern "C"
