// SPDX-License-Identifier: Apache-2.0
// Functions on handles: register, unregister, describe, query.
#include <starpu.h>

#include <atomic>
#include <cerrno>
#include <span>
#include <string_view>

#include "runtime/core/program_data.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/contributions.h"
#include "runtime/data/handle.h"
#include "runtime/support/arguments.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_data_register(starpu_data_handle_t* handle, int home_node, void* interface,
                          starpu_data_interface_ops* ops) {
  Runtime::Get(__func__);
  RegisterData(handle, home_node, interface, ops);
}

void starpu_data_register_same(starpu_data_handle_t* target, starpu_data_handle_t source) {
  *target = RegisterLike(source);
}

void starpu_data_ptr_register(starpu_data_handle_t handle, unsigned) {
  handle->allocated = true;
  handle->owns_memory = false;
}

void starpu_data_unregister(starpu_data_handle_t handle) {
  UnregisterData(handle, __func__, /*keeps_value=*/true);
}
void starpu_data_unregister_no_coherency(starpu_data_handle_t handle) {
  UnregisterData(handle, __func__, /*keeps_value=*/false);
}
void starpu_data_unregister_submit(starpu_data_handle_t handle) {
  UnregisterLater(handle, __func__);
}
void starpu_data_invalidate(starpu_data_handle_t handle) { InvalidateData(handle, __func__); }
void starpu_data_invalidate_submit(starpu_data_handle_t handle) {
  InvalidateLater(handle, __func__);
}
void starpu_data_deinitialize(starpu_data_handle_t handle) { starpu_data_invalidate(handle); }
void starpu_data_deinitialize_submit(starpu_data_handle_t handle) {
  starpu_data_invalidate_submit(handle);
}
void starpu_data_advise_as_important(starpu_data_handle_t, unsigned) {}

void starpu_data_set_name(starpu_data_handle_t handle, const char* name) {
  handle->name = name ? name : "";
  tasklens::Record<tasklens::EventKind::kDataName>(handle, std::string_view(handle->name));
}
const char* starpu_data_get_name(starpu_data_handle_t handle) { return handle->name.c_str(); }

void starpu_data_set_coordinates_array(starpu_data_handle_t handle, unsigned count, int values[]) {
  handle->coordinates.assign(values, values + count);
  if (count == 0) return;
  const int32_t* first = handle->coordinates.data();
  tasklens::Record<tasklens::EventKind::kDataCoordinates>(
      handle, std::span<const int32_t>(first, count < 5 ? count : 5));
}
void starpu_data_set_coordinates(starpu_data_handle_t handle, unsigned count, ...) {
  WITH_ARGS_AFTER(count, auto values = ReadArgs<int>(count, args));
  starpu_data_set_coordinates_array(handle, count, values.data());
}
unsigned starpu_data_get_coordinates_array(starpu_data_handle_t handle, unsigned room,
                                           int values[]) {
  for (unsigned i = 0; i < room && i < handle->coordinates.size(); ++i) {
    values[i] = handle->coordinates[i];
  }
  return static_cast<unsigned>(handle->coordinates.size());
}

void* starpu_data_get_interface_on_node(starpu_data_handle_t handle, unsigned node) {
  return InterfaceOn(handle, node);
}
void* starpu_data_handle_to_pointer(starpu_data_handle_t handle, unsigned node) {
  if (!IsAllocated(handle, node)) return nullptr;
  if (handle->ops->to_pointer) return handle->ops->to_pointer(InterfaceOn(handle, node), node);
  return handle->ops->handle_to_pointer ? handle->ops->handle_to_pointer(handle, node) : nullptr;
}
void* starpu_data_get_local_ptr(starpu_data_handle_t handle) {
  return starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
}
int starpu_data_pointer_is_inside(starpu_data_handle_t handle, unsigned node, void* pointer) {
  return handle->ops->pointer_is_inside && handle->allocated &&
         handle->ops->pointer_is_inside(handle->interface, node, pointer);
}
starpu_data_interface_id starpu_data_get_interface_id(starpu_data_handle_t handle) {
  return handle->ops->interfaceid;
}
starpu_data_interface_ops* starpu_data_get_interface_ops(starpu_data_handle_t handle) {
  return handle->ops;
}
size_t starpu_data_get_size(starpu_data_handle_t handle) {
  return handle->ops->get_size ? handle->ops->get_size(handle) : 0;
}
size_t starpu_data_get_alloc_size(starpu_data_handle_t handle) {
  return handle->ops->get_alloc_size ? handle->ops->get_alloc_size(handle)
                                     : starpu_data_get_size(handle);
}
int starpu_data_get_home_node(starpu_data_handle_t handle) { return handle->home_node; }
void starpu_data_register_ops(starpu_data_interface_ops* ops) {
  if (ops->interfaceid != STARPU_UNKNOWN_INTERFACE_ID) return;
  ops->interfaceid = static_cast<starpu_data_interface_id>(starpu_data_interface_get_next_id());
}
int starpu_data_interface_get_next_id(void) {
  static std::atomic<int> next{STARPU_MAX_INTERFACE_ID + 1};
  return next.fetch_add(1);
}

int starpu_data_pack_node(starpu_data_handle_t handle, unsigned node, void** pointer,
                          starpu_ssize_t* count) {
  if (!handle->ops->pack_data) return -ENOSYS;
  return handle->ops->pack_data(handle, node, pointer, count);
}
int starpu_data_peek_node(starpu_data_handle_t handle, unsigned node, void* pointer, size_t count) {
  if (!handle->ops->peek_data) return -ENOSYS;
  if (node == STARPU_MAIN_RAM && !handle->allocated)
    EnsureAllocated(Runtime::Instance()->residency(), handle);
  return handle->ops->peek_data(handle, node, pointer, count);
}
int starpu_data_unpack_node(starpu_data_handle_t handle, unsigned node, void* pointer,
                            size_t count) {
  if (!handle->ops->unpack_data) return -ENOSYS;
  if (node == STARPU_MAIN_RAM && !handle->allocated)
    EnsureAllocated(Runtime::Instance()->residency(), handle);
  return handle->ops->unpack_data(handle, node, pointer, count);
}
int starpu_data_pack(starpu_data_handle_t handle, void** pointer, starpu_ssize_t* count) {
  return starpu_data_pack_node(handle, STARPU_MAIN_RAM, pointer, count);
}
int starpu_data_peek(starpu_data_handle_t handle, void* pointer, size_t count) {
  return starpu_data_peek_node(handle, STARPU_MAIN_RAM, pointer, count);
}
int starpu_data_unpack(starpu_data_handle_t handle, void* pointer, size_t count) {
  return starpu_data_unpack_node(handle, STARPU_MAIN_RAM, pointer, count);
}
starpu_ssize_t starpu_data_get_max_size(starpu_data_handle_t handle) {
  return handle->ops->get_max_size ? static_cast<starpu_ssize_t>(handle->ops->get_max_size(handle))
                                   : -1;
}
void starpu_data_print(starpu_data_handle_t handle, unsigned node, FILE* stream) {
  if (!handle->ops->describe) {
    fprintf(stream, "%s", Describe(handle).c_str());
    return;
  }
  char text[1024] = "";
  handle->ops->describe(InterfaceOn(handle, node), text, sizeof text);
  fprintf(stream, "%s", text);
}
unsigned starpu_data_test_if_mapped_on_node(starpu_data_handle_t, unsigned) { return 0; }

int starpu_data_request_allocation(starpu_data_handle_t handle, unsigned node) {
  if (const int error = CheckNode(handle, node)) return error;
  if (node == STARPU_MAIN_RAM && !handle->allocated)
    EnsureAllocated(Runtime::Instance()->residency(), handle);
  return 0;
}
int starpu_data_fetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async) {
  return Fetch<tasklens::CopyReason::kFetch>(handle, node, !async);
}
int starpu_data_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async) {
  return Fetch<tasklens::CopyReason::kPrefetch>(handle, node, !async);
}
int starpu_data_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async,
                                      int) {
  return Fetch<tasklens::CopyReason::kPrefetch>(handle, node, !async);
}
int starpu_data_idle_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async) {
  return Fetch<tasklens::CopyReason::kIdleFetch>(handle, node, !async);
}
int starpu_data_idle_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node,
                                           unsigned async, int) {
  return Fetch<tasklens::CopyReason::kIdleFetch>(handle, node, !async);
}
unsigned starpu_data_is_on_node(starpu_data_handle_t handle, unsigned node) {
  return CheckNode(handle, node) == 0 && HasValueOn(handle, node);
}
unsigned starpu_data_test_if_allocated_on_node(starpu_data_handle_t handle, unsigned node) {
  return CheckNode(handle, node) == 0 && IsAllocated(handle, node);
}
void starpu_data_query_status(starpu_data_handle_t handle, int node, int* is_allocated,
                              int* is_valid, int* is_requested) {
  starpu_data_query_status2(handle, node, is_allocated, is_valid, nullptr, is_requested);
}
void starpu_data_query_status2(starpu_data_handle_t handle, int node, int* is_allocated,
                               int* is_valid, int* is_loading, int* is_requested) {
  const bool here = CheckNode(handle, static_cast<unsigned>(node)) == 0;
  if (is_allocated) *is_allocated = here && IsAllocated(handle, static_cast<unsigned>(node));
  const bool comes = here && IsComing(handle, static_cast<unsigned>(node));
  if (is_valid) *is_valid = here && !comes && HasValueOn(handle, static_cast<unsigned>(node));
  if (is_loading) *is_loading = comes;
  if (is_requested) *is_requested = comes;
}
int starpu_data_can_evict(starpu_data_handle_t handle, unsigned node, int) {
  return Runtime::Instance()->residency().CanEvict(handle, node);
}
int starpu_data_evict_from_node(starpu_data_handle_t handle, unsigned node) {
  return Runtime::Get(__func__).residency().Evict(handle, node) ? 0 : -1;
}
void starpu_memchunk_tidy(unsigned node) { TidyMemory(Runtime::Get(__func__), node); }
void starpu_data_set_wt_mask(starpu_data_handle_t handle, uint32_t mask) {
  handle->written_through = mask;
  for (Handle* child : handle->children) starpu_data_set_wt_mask(child, mask);
}
void starpu_data_wont_use(starpu_data_handle_t handle) {
  Runtime::Get(__func__);
  WontUse(handle);
}

void starpu_data_set_sequential_consistency_flag(starpu_data_handle_t handle, unsigned flag) {
  handle->sequential = flag != 0;
  for (Handle* child : handle->children) starpu_data_set_sequential_consistency_flag(child, flag);
}
unsigned starpu_data_get_sequential_consistency_flag(starpu_data_handle_t handle) {
  return handle->sequential;
}
unsigned starpu_data_get_default_sequential_consistency_flag(void) {
  return Runtime::Get(__func__).settings.sequential_by_default.load();
}
void starpu_data_set_default_sequential_consistency_flag(unsigned flag) {
  Runtime::Get(__func__).settings.sequential_by_default.store(flag != 0);
}
void starpu_data_set_ooc_flag(starpu_data_handle_t handle, unsigned flag) {
  handle->out_of_core = flag;
}
unsigned starpu_data_get_ooc_flag(starpu_data_handle_t handle) { return handle->out_of_core; }

void starpu_data_set_reduction_methods(starpu_data_handle_t handle, starpu_codelet* redux,
                                       starpu_codelet* init) {
  starpu_data_set_reduction_methods_with_args(handle, redux, nullptr, init, nullptr);
}
void starpu_data_set_reduction_methods_with_args(starpu_data_handle_t handle, starpu_codelet* redux,
                                                 void* redux_argument, starpu_codelet* init,
                                                 void* init_argument) {
  SetReduction(handle, {redux, redux_argument, init, init_argument});
}

void starpu_data_set_user_data(starpu_data_handle_t handle, void* data) {
  handle->user_data = data;
}
void* starpu_data_get_user_data(starpu_data_handle_t handle) { return handle->user_data; }
void starpu_data_set_sched_data(starpu_data_handle_t handle, void* data) {
  handle->sched_data = data;
}
void* starpu_data_get_sched_data(starpu_data_handle_t handle) { return handle->sched_data; }

}  // extern "C"
