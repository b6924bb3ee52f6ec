// SPDX-License-Identifier: Apache-2.0
// multiformat: nx objects, in the layout of CPUs in the main memory and in the layout of CUDA on
// devices. runtime/data/conversion.h tells which thread converts, and when.
#include "runtime/data/multiformat.h"

#include <starpu.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/data/handle.h"
#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

using Multiformat = starpu_multiformat_interface;

Multiformat* Of(starpu_data_handle_t handle, const char* function) {
  return static_cast<Multiformat*>(InterfaceOf(handle, STARPU_MULTIFORMAT_INTERFACE_ID, function));
}
size_t Bytes(const Multiformat& data) { return BytesOf(data, /*cuda_layout=*/false); }

// Copies the layout of the source to the memory for that layout in the target.
int Copy(void* source, unsigned source_node, void* target, unsigned target_node, void* async) {
  const auto* from = static_cast<Multiformat*>(source);
  auto* to = static_cast<Multiformat*>(target);
  const bool is_cuda = HasCudaLayout(*from, source_node);
  const size_t bytes = BytesOf(*from, is_cuda);
  // In the main memory, room for the CUDA layout is allocated on the first copy in that layout.
  if (is_cuda && !to->cuda_ptr &&
      starpu_malloc_flags(&to->cuda_ptr, bytes, STARPU_MALLOC_PINNED) != 0)
    return -ENOMEM;
  SetForeign(*to, is_cuda != IsCudaNode(target_node));
  const void* const first = is_cuda ? from->cuda_ptr : from->cpu_ptr;
  const void* const there = is_cuda ? to->cuda_ptr : to->cpu_ptr;
  return CopyArrays({{AddressOf(first), AddressOf(there), bytes}}, source_node, target_node, async);
}
const starpu_data_copy_methods kCopy = {.any_to_any = Copy};

starpu_ssize_t Allocate(void* interface, unsigned node) {
  auto* data = static_cast<Multiformat*>(interface);
  const bool has_both = IsCudaNode(node);
  const size_t bytes = has_both ? BytesOfBoth(*data) : Bytes(*data);
  auto* const memory = reinterpret_cast<char*>(starpu_malloc_on_node(node, bytes));
  data->cpu_ptr = memory;
  data->cuda_ptr = memory && has_both ? memory + OffsetOfCuda(*data) : nullptr;
  SetForeign(*data, false);
  return memory ? static_cast<starpu_ssize_t>(bytes) : -ENOMEM;
}
void FreeOtherLayout(Multiformat& data) {
  if (data.cuda_ptr)
    starpu_free_flags(data.cuda_ptr, BytesOf(data, /*cuda_layout=*/true), STARPU_MALLOC_PINNED);
  data.cuda_ptr = nullptr;
}
void Free(void* interface, unsigned node) {
  auto* data = static_cast<Multiformat*>(interface);
  const bool has_both = IsCudaNode(node);
  starpu_free_on_node(node, reinterpret_cast<uintptr_t>(data->cpu_ptr),
                      has_both ? BytesOfBoth(*data) : Bytes(*data));
  if (!has_both) FreeOtherLayout(*data);
  data->cpu_ptr = data->cuda_ptr = nullptr;
}
// Frees the room for the CUDA layout; the rest of the memory is the program's. No transfer to it is
// in progress.
void Forget(starpu_data_handle_t handle) {
  if (handle->home_node != STARPU_MAIN_RAM) return;
  FreeOtherLayout(*static_cast<Multiformat*>(handle->interface));
}
void* ToPointer(void* interface, unsigned node) {
  const auto* data = static_cast<Multiformat*>(interface);
  return IsCudaNode(node) ? data->cuda_ptr : data->cpu_ptr;
}
size_t Size(starpu_data_handle_t handle) { return Bytes(*Of(handle, "size")); }
uint32_t Footprint(starpu_data_handle_t handle) { return Crc32c(Of(handle, "footprint")->nx, 0); }
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
  return PackRows(static_cast<char*>(data->cpu_ptr), Bytes(*data), 1, 0, 1, 0, pointer, count);
}
int Peek(starpu_data_handle_t handle, unsigned, void* pointer, size_t count) {
  const Multiformat* data = Of(handle, "starpu_data_peek");
  return PeekRows(static_cast<char*>(data->cpu_ptr), Bytes(*data), 1, 0, 1, 0, pointer, count);
}

}  // namespace

extern "C" {

starpu_data_interface_ops starpu_interface_multiformat_ops = {
    .unregister_data_handle = Forget,
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
    .unpack_data = UnpackWith<Peek>,
    .name = "STARPU_MULTIFORMAT_INTERFACE",
};

void starpu_multiformat_data_register(starpu_data_handle_t* handle, int home_node, void* ptr,
                                      uint32_t nobjects,
                                      starpu_multiformat_data_interface_ops* format_ops) {
  if (home_node > STARPU_MAIN_RAM)
    Fatal("starpu_multiformat_data_register(): the home of such data is the main memory, or -1");
  Multiformat data = {};
  data.id = STARPU_MULTIFORMAT_INTERFACE_ID;
  data.cpu_ptr = ptr;
  data.nx = nobjects;
  data.ops = format_ops;
  starpu_data_register(handle, home_node, &data, &starpu_interface_multiformat_ops);
}

}  // extern "C"
