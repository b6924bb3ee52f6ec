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
