// SPDX-License-Identifier: Apache-2.0
// multiformat: nx objects, in the layout of CPUs in the main memory and in the layout of CUDA on
// devices. runtime/data/conversion.h tells which thread converts, and when.
#include "runtime/data/multiformat.h"

#include <starpu.h>

#include <cerrno>
#include <cstdio>

#include "runtime/data/handle.h"
#include "runtime/interfaces/common.h"
#include "runtime/support/crc32c.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

using Multiformat = starpu_multiformat_interface;

void FreeOtherLayout(Multiformat& data) {
  if (data.cuda_ptr)
    starpu_free_flags(data.cuda_ptr, BytesOf(data, /*cuda_layout=*/true), STARPU_MALLOC_PINNED);
  data.cuda_ptr = nullptr;
}

struct Ops : Kind<Multiformat, STARPU_MULTIFORMAT_INTERFACE_ID> {
  static size_t Bytes(const Multiformat& data) { return BytesOf(data, /*cuda_layout=*/false); }

  // Copies the layout of the source to the memory for that layout in the target.
  static int Copy(const Multiformat& from, unsigned source_node, Multiformat& to,
                  unsigned target_node, void* async) {
    const bool is_cuda = HasCudaLayout(from, source_node);
    const size_t bytes = BytesOf(from, is_cuda);
    // In the main memory, room for the CUDA layout is allocated on the first copy in that layout.
    if (is_cuda && !to.cuda_ptr &&
        starpu_malloc_flags(&to.cuda_ptr, bytes, STARPU_MALLOC_PINNED) != 0)
      return -ENOMEM;
    SetForeign(to, is_cuda != IsCudaNode(target_node));
    const void* const first = is_cuda ? from.cuda_ptr : from.cpu_ptr;
    const void* const there = is_cuda ? to.cuda_ptr : to.cpu_ptr;
    return starpu_interface_copy(reinterpret_cast<uintptr_t>(first), 0, source_node,
                                 reinterpret_cast<uintptr_t>(there), 0, target_node, bytes, async);
  }
  static starpu_ssize_t Allocate(Multiformat& data, unsigned node) {
    const bool has_both = IsCudaNode(node);
    const size_t bytes = has_both ? BytesOfBoth(data) : Bytes(data);
    auto* const memory = reinterpret_cast<char*>(starpu_malloc_on_node(node, bytes));
    data.cpu_ptr = memory;
    data.cuda_ptr = memory && has_both ? memory + OffsetOfCuda(data) : nullptr;
    SetForeign(data, false);
    return memory ? static_cast<starpu_ssize_t>(bytes) : -ENOMEM;
  }
  static void Free(Multiformat& data, unsigned node) {
    const bool has_both = IsCudaNode(node);
    starpu_free_on_node(node, reinterpret_cast<uintptr_t>(data.cpu_ptr),
                        has_both ? BytesOfBoth(data) : Bytes(data));
    if (!has_both) FreeOtherLayout(data);
    data.cpu_ptr = data.cuda_ptr = nullptr;
  }
  static void* Values(const Multiformat& data, unsigned node) {
    return IsCudaNode(node) ? data.cuda_ptr : data.cpu_ptr;
  }
  static uint32_t Footprint(const Multiformat& data) { return Crc32c(data.nx, 0); }
  static bool AreAlike(const Multiformat& a, const Multiformat& b) {
    return a.nx == b.nx && a.ops->cpu_elemsize == b.ops->cpu_elemsize;
  }
  static int Describe(const Multiformat& data, char* text, size_t room) {
    return snprintf(text, room, "F%ux%zu", data.nx, data.ops->cpu_elemsize);
  }
  template <class Function>
  static void ForEachPiece(const Multiformat& data, Function&& function) {
    function(reinterpret_cast<uintptr_t>(data.cpu_ptr), Bytes(data));
  }

  static constexpr starpu_data_interface_ops Table() {
    starpu_data_interface_ops table = TableOf<Ops>("STARPU_MULTIFORMAT_INTERFACE");
    // Frees the room for the CUDA layout; the rest of the memory is the program's. No transfer to
    // it is in progress.
    table.unregister_data_handle = [](starpu_data_handle_t handle) {
      if (handle->home_node == STARPU_MAIN_RAM) FreeOtherLayout(As<Ops>(handle->interface));
    };
    table.is_multiformat = 1;
    table.get_mf_ops = [](void* interface) { return As<Ops>(interface).ops; };
    return table;
  }
};

}  // namespace

extern "C" {

constinit starpu_data_interface_ops starpu_interface_multiformat_ops = Ops::Table();

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
