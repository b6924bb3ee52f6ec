// SPDX-License-Identifier: Apache-2.0
// multiformat: nx objects in the layout of CPUs, the only devices there are.
#include <starpu.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/data/interfaces/common.h"

using tasklens::runtime::AddressOf;
using tasklens::runtime::InterfaceOf;

namespace {

using Multiformat = starpu_multiformat_interface;

Multiformat* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Multiformat*>(InterfaceOf(handle, STARPU_MULTIFORMAT_INTERFACE_ID, function));
}
size_t Bytes(const Multiformat& data) { return data.nx * data.ops->cpu_elemsize; }

int Copy(void* source, unsigned source_node, void* target, unsigned target_node, void* async) {
  const auto* from = static_cast<Multiformat*>(source);
  const auto* to = static_cast<Multiformat*>(target);
  return tasklens::runtime::CopyArrays(
      {{AddressOf(from->cpu_ptr), AddressOf(to->cpu_ptr), Bytes(*from)}}, source_node, target_node,
      async);
}
const starpu_data_copy_methods kCopy = {.any_to_any = Copy};

starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* data = static_cast<Multiformat*>(interface);
  data->cpu_ptr = reinterpret_cast<void*>(starpu_malloc_on_node(node, Bytes(*data)));
  return data->cpu_ptr ? static_cast<starpu_ssize_t>(Bytes(*data)) : -ENOMEM;
}
void Free(void* interface, unsigned node) {
  auto* data = static_cast<Multiformat*>(interface);
  starpu_free_on_node(node, reinterpret_cast<uintptr_t>(data->cpu_ptr), Bytes(*data));
  data->cpu_ptr = nullptr;
}
void* ToPointer(void* interface, unsigned) { return static_cast<Multiformat*>(interface)->cpu_ptr; }
size_t Size(starpu_data_handle_t handle) { return Bytes(*Of(handle, "size")); }
uint32_t Footprint(starpu_data_handle_t handle) {
  return starpu_hash_crc32c_be(Of(handle, "footprint")->nx, 0);
}
int Compare(void* a, void* b) {
  const auto *left = static_cast<Multiformat*>(a), *right = static_cast<Multiformat*>(b);
  return left->nx == right->nx && left->ops->cpu_elemsize == right->ops->cpu_elemsize;
}
starpu_ssize_t DescribeMultiformat(void* interface, char* text, size_t room) {
  const auto* data = static_cast<Multiformat*>(interface);
  return snprintf(text, room, "F%ux%zu", data->nx, data->ops->cpu_elemsize);
}
starpu_multiformat_data_interface_ops* FormatOps(void* interface) {
  return static_cast<Multiformat*>(interface)->ops;
}
int Pack(starpu_data_handle_t handle, unsigned, void** pointer, starpu_ssize_t* count) {
  const Multiformat* data = Of(handle, "starpu_data_pack");
  return tasklens::runtime::PackRows(static_cast<char*>(data->cpu_ptr), Bytes(*data), 1, 0, 1, 0,
                                     pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const Multiformat* data = Of(handle, "starpu_data_peek");
  return tasklens::runtime::PeekRows(static_cast<char*>(data->cpu_ptr), Bytes(*data), 1, 0, 1, 0,
                                     pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_multiformat_ops = {
    .allocate_data_on_node = Allocate,
    .free_data_on_node = Free,
    .copy_methods = &kCopy,
    .to_pointer = ToPointer,
    .get_size = Size,
    .footprint = Footprint,
    .compare = Compare,
    .describe = DescribeMultiformat,
    .interfaceid = STARPU_MULTIFORMAT_INTERFACE_ID,
    .interface_size = sizeof(Multiformat),
    .is_multiformat = 1,
    .get_mf_ops = FormatOps,
    .pack_data = Pack,
    .peek_data = Peek,
    .unpack_data = tasklens::runtime::UnpackWith<Peek>,
    .name = "STARPU_MULTIFORMAT_INTERFACE",
};

void starpu_multiformat_data_register(starpu_data_handle_t* handle, int home_node, void* ptr,
                                      uint32_t nobjects,
                                      starpu_multiformat_data_interface_ops* format_ops) {
  Multiformat data = {};
  data.id = STARPU_MULTIFORMAT_INTERFACE_ID;
  data.cpu_ptr = ptr;
  data.nx = nobjects;
  data.ops = format_ops;
  starpu_data_register(handle, home_node, &data, &starpu_interface_multiformat_ops);
}

}  // extern "C"
