// SPDX-License-Identifier: Apache-2.0
// starpu_interface_*: copies between any two memory nodes, called by methods of data interfaces.
#include <starpu.h>

#include <cerrno>

#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/carrier.h"
#include "runtime/data/disk/disks.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_interface_start_driver_copy_async(unsigned source, unsigned target, double* start) {
  *start = starpu_timing_now();
  tasklens::Record<tasklens::EventKind::kCopySubmitStart>(source, target);
}
void starpu_interface_end_driver_copy_async(unsigned source, unsigned target, double) {
  tasklens::Record<tasklens::EventKind::kCopySubmitEnd>(source, target);
}

int starpu_interface_copy(uintptr_t source, size_t source_offset, unsigned source_node,
                          uintptr_t target, size_t target_offset, unsigned target_node, size_t size,
                          void* async_data) {
  return starpu_interface_copy2d(source, source_offset, source_node, target, target_offset,
                                 target_node, size, 1, size, size, async_data);
}

int starpu_interface_copy2d(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t block_size, size_t blocks, size_t source_ld, size_t target_ld,
                            void* async_data) {
  Runtime* const runtime = Runtime::Instance();
  if (runtime && (runtime->devices().At(source_node) || runtime->devices().At(target_node))) {
    const Rows rows{.source = reinterpret_cast<const char*>(source + source_offset),
                    .target = reinterpret_cast<char*>(target + target_offset),
                    .row_bytes = block_size,
                    .count = blocks,
                    .source_stride_bytes = source_ld,
                    .target_stride_bytes = target_ld};
    return runtime->carrier()->CopyRows(async_data, source_node, target_node, rows) ? 0 : -EIO;
  }
  for (size_t i = 0; i < blocks; ++i) {
    if (!CopyBetween(runtime ? &runtime->disks() : nullptr, source, source_offset + i * source_ld,
                     source_node, target, target_offset + i * target_ld, target_node, block_size,
                     static_cast<DiskRequests*>(async_data)))
      return -EIO;
  }
  return 0;
}

int starpu_interface_copy3d(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t block_size, size_t blocks1, size_t source_ld1, size_t target_ld1,
                            size_t blocks2, size_t source_ld2, size_t target_ld2,
                            void* async_data) {
  for (size_t i = 0; i < blocks2; ++i) {
    if (const int error =
            starpu_interface_copy2d(source, source_offset + i * source_ld2, source_node, target,
                                    target_offset + i * target_ld2, target_node, block_size,
                                    blocks1, source_ld1, target_ld1, async_data)) {
      return error;
    }
  }
  return 0;
}

int starpu_interface_copy4d(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t block_size, size_t blocks1, size_t source_ld1, size_t target_ld1,
                            size_t blocks2, size_t source_ld2, size_t target_ld2, size_t blocks3,
                            size_t source_ld3, size_t target_ld3, void* async_data) {
  for (size_t i = 0; i < blocks3; ++i) {
    if (const int error = starpu_interface_copy3d(
            source, source_offset + i * source_ld3, source_node, target,
            target_offset + i * target_ld3, target_node, block_size, blocks1, source_ld1,
            target_ld1, blocks2, source_ld2, target_ld2, async_data)) {
      return error;
    }
  }
  return 0;
}

int starpu_interface_copynd(uintptr_t source, size_t source_offset, unsigned source_node,
                            uintptr_t target, size_t target_offset, unsigned target_node,
                            size_t element_size, size_t dimensions, uint32_t* counts,
                            uint32_t* source_lds, uint32_t* target_lds, void* async_data) {
  if (dimensions == 0)
    return starpu_interface_copy(source, source_offset, source_node, target, target_offset,
                                 target_node, element_size, async_data);
  if (dimensions == 1)
    return starpu_interface_copy(source, source_offset, source_node, target, target_offset,
                                 target_node, counts[0] * element_size, async_data);
  const size_t last = dimensions - 1;
  if (last == 1)
    return starpu_interface_copy2d(source, source_offset, source_node, target, target_offset,
                                   target_node, counts[0] * element_size, counts[1],
                                   source_lds[1] * element_size, target_lds[1] * element_size,
                                   async_data);
  int result = 0;
  for (size_t i = 0; i < counts[last]; ++i) {
    const int part = starpu_interface_copynd(
        source, source_offset + i * source_lds[last] * element_size, source_node, target,
        target_offset + i * target_lds[last] * element_size, target_node, element_size, last,
        counts, source_lds, target_lds, async_data);
    if (part && part != -EAGAIN) return part;
    if (part) result = part;
  }
  return result;
}

uintptr_t starpu_interface_map(uintptr_t, size_t, unsigned, unsigned, size_t, int* ret) {
  *ret = -EIO;
  return 0;
}
int starpu_interface_unmap(uintptr_t, size_t, unsigned, uintptr_t, unsigned, size_t) {
  return -EIO;
}
int starpu_interface_update_map(uintptr_t, size_t, unsigned, uintptr_t, size_t, unsigned, size_t) {
  return -EIO;
}

void starpu_interface_data_copy(unsigned source, unsigned target, size_t size) {
  tasklens::Record<tasklens::EventKind::kDataCopied>(source, target, uint64_t{size});
}

}  // extern "C"
