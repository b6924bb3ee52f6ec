// SPDX-License-Identifier: Apache-2.0
// starpu_data_partition() and related functions: partitioning of handles that are not in use.
#include <starpu.h>

#include "runtime/core/partitions.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"
#include "runtime/support/arguments.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_data_partition(starpu_data_handle_t handle, starpu_data_filter* filter) {
  Partition(handle, filter);
}
void starpu_data_unpartition(starpu_data_handle_t handle, unsigned node) {
  // -1: the values stay where they are. They do so in any case, since the parts lie in the memory
  // of the whole handle.
  if (static_cast<int>(node) != -1 && node >= starpu_memory_nodes_get_count())
    Fatal("starpu_data_unpartition(): there is no memory node %u", node);
  trace::Waiting waiting(tasklens::StateKind::kUnpartitioning);
  Unpartition(handle);
}
starpu_data_handle_t starpu_data_get_child(starpu_data_handle_t handle, unsigned i) {
  return Child(handle, i);
}
int starpu_data_get_nb_children(starpu_data_handle_t handle) {
  return static_cast<int>(handle->children.size());
}
starpu_data_handle_t starpu_data_vget_sub_data(starpu_data_handle_t handle, unsigned depth,
                                               va_list args) {
  for (unsigned i = 0; i < depth; ++i) handle = Child(handle, va_arg(args, unsigned));
  return handle;
}
starpu_data_handle_t starpu_data_get_sub_data(starpu_data_handle_t handle, unsigned depth, ...) {
  RETURN_WITH_ARGS_AFTER(depth, starpu_data_vget_sub_data(handle, depth, args));
}
void starpu_data_vmap_filters(starpu_data_handle_t handle, unsigned count, va_list args) {
  for (unsigned i = 0; i < count; ++i) MapFilter(handle, va_arg(args, starpu_data_filter*));
}
void starpu_data_map_filters(starpu_data_handle_t handle, unsigned count, ...) {
  WITH_ARGS_AFTER(count, starpu_data_vmap_filters(handle, count, args));
}
void starpu_data_map_filters_parray(starpu_data_handle_t handle, int count,
                                    starpu_data_filter** filters) {
  for (int i = 0; i < count; ++i) MapFilter(handle, filters[i]);
}
void starpu_data_map_filters_array(starpu_data_handle_t handle, int count,
                                   starpu_data_filter* filters) {
  for (int i = 0; i < count; ++i) MapFilter(handle, &filters[i]);
}

}  // extern "C"
