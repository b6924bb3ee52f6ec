// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/records.h"

#include <string>
#include <string_view>

#include "runtime/data/devices.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/handle.h"
#include "runtime/data/residency.h"

namespace tasklens::runtime::trace {

void NewData(const Handle* handle) {
  if (!Recorder::Enabled<EventKind::kDataNew>()) return;
  const std::string shape = DescribeShape(handle);
  Record<EventKind::kDataNew>(handle, handle->size_bytes, int64_t{-1},
                              static_cast<int32_t>(handle->home_node), handle->parent,
                              std::string_view(shape));
}

Memory::Memory(Residency* residency, MemoryOp op, const Handle* handle, unsigned node)
    : residency_(residency), op_(op), handle_(handle), node_(node) {
  Record<EventKind::kMemoryOpStart>(node, static_cast<uint32_t>(op), handle->size_bytes, handle,
                                    0u);
}

Memory::~Memory() {
  Record<EventKind::kMemoryOpEnd>(node_, static_cast<uint32_t>(op_), handle_->size_bytes, handle_);
  if (!residency_) return;
  if (const Disk* disk = residency_->disks().At(node_)) {
    Record<EventKind::kMemoryUsed>(node_, uint64_t{disk->used_bytes.load()});
    return;
  }
  if (DeviceMemory* device = residency_->devices().At(node_)) {
    Record<EventKind::kMemoryUsed>(node_, uint64_t{device->used_bytes()});
    return;
  }
  if (op_ != MemoryOp::kAllocate && op_ != MemoryOp::kFree) return;
  const uint64_t size = handle_->size_bytes;
  std::atomic<uint64_t>& all = residency_->data_bytes;
  const uint64_t used =
      op_ == MemoryOp::kFree ? all.fetch_sub(size) - size : all.fetch_add(size) + size;
  Record<EventKind::kMemoryUsed>(0u, used);
}

}  // namespace tasklens::runtime::trace
