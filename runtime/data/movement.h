// SPDX-License-Identifier: Apache-2.0
// Helpers of the Residency sources: finding copies of a handle, recording transfers.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/data/devices.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/handle.h"
#include "runtime/data/records.h"
#include "runtime/data/residency.h"

namespace tasklens::runtime {

inline Whereabouts::Copy* CopyOn(Handle* handle, unsigned node) {
  for (Whereabouts::Copy& copy : handle->whereabouts.copies) {
    if (copy.node == node) return &copy;
  }
  return nullptr;
}
inline Whereabouts::Copy* ValidCopy(Handle* handle) {
  for (Whereabouts::Copy& copy : handle->whereabouts.copies) {
    if (copy.valid) return &copy;
  }
  return nullptr;
}
// Handles that a loop has visited; some may have been deleted meanwhile.
inline bool IsIn(const std::vector<const Handle*>& seen, const Handle* handle) {
  return std::find(seen.begin(), seen.end(), handle) != seen.end();
}

// Returns the disk object of a copy, for interfaces with pack_data.
inline void* ObjectOf(Residency& residency, Handle* handle, const Whereabouts::Copy& copy) {
  return residency.Unlocked([&]() -> void* {
    if (handle->ops->to_pointer) return handle->ops->to_pointer(copy.interface, copy.node);
    if (handle->ops->handle_to_pointer) return handle->ops->handle_to_pointer(handle, copy.node);
    return nullptr;
  });
}

// Whether the handle's interface can be copied to and from disks.
inline bool CanTravel(const Handle* handle) {
  const starpu_data_interface_ops* ops = handle->ops;
  return (ops->copy_methods && ops->copy_methods->any_to_any) ||
         (ops->pack_data && (ops->unpack_data || ops->peek_data));
}

// Marks this thread as moving data, while the object lives.
class Moving {
 public:
  Moving() : before_(now_) { now_ = true; }
  ~Moving() { now_ = before_; }
  Moving(const Moving&) = delete;
  Moving& operator=(const Moving&) = delete;
  static bool Now() { return now_; }

 private:
  static thread_local bool now_;
  const bool before_;
};

// Record the start and the end of a copy from or to a device.
inline void RecordCopyStart(const Shipment& copy) {
  Record<EventKind::kCopyStart>(copy.source, copy.target, copy.size_bytes, copy.number,
                                static_cast<uint32_t>(copy.reason), copy.handle);
}
inline void RecordCopyEnd(const Shipment& copy) {
  Record<EventKind::kCopyEnd>(copy.source, copy.target, copy.size_bytes, copy.number,
                              static_cast<uint32_t>(copy.reason));
  Record<EventKind::kDataCopied>(copy.source, copy.target, copy.size_bytes);
}
// Reports one copy between two memory nodes to the trace and to tools: its start on construction,
// its end on destruction.
class Copying {
 public:
  Copying(Residency& residency, Handle* handle, unsigned source, unsigned target, uint64_t copy,
          CopyReason reason = CopyReason::kFetch)
      : residency_(residency),
        size_bytes_(handle->size_bytes),
        source_(source),
        target_(target),
        copy_(copy),
        reason_(reason) {
    Record<EventKind::kCopyStart>(source, target, size_bytes_, copy, static_cast<uint32_t>(reason_),
                                  handle);
    Tell(starpu_prof_tool_event_start_transfer);
  }
  Copying(const Copying&) = delete;
  Copying& operator=(const Copying&) = delete;
  ~Copying() {
    Tell(starpu_prof_tool_event_end_transfer);
    Record<EventKind::kCopyEnd>(source_, target_, size_bytes_, copy_,
                                static_cast<uint32_t>(reason_));
    Record<EventKind::kDataCopied>(source_, target_, size_bytes_);
  }

 private:
  void Tell(starpu_prof_tool_event event) const {
    ResidencyHost& host = residency_.host();
    if (host.Wants(event)) residency_.Unlocked([&] { host.Tell(event, target_, size_bytes_); });
  }
  Residency& residency_;
  const uint64_t size_bytes_;
  const unsigned source_, target_;
  const uint64_t copy_;
  const CopyReason reason_;
};

// Records an operation on a handle's memory on a node: its start on construction, its end on
// destruction.
class Operation {
 public:
  Operation(Residency& residency, unsigned node, MemoryOp op, Handle* handle)
      : residency_(residency),
        node_(node),
        op_(op),
        handle_(handle),
        size_bytes_(handle->size_bytes) {
    Record<EventKind::kMemoryOpStart>(node, static_cast<uint32_t>(op), size_bytes_, handle, 0u);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation() {
    Record<EventKind::kMemoryOpEnd>(node_, static_cast<uint32_t>(op_), size_bytes_, handle_);
    if (const Disk* disk = residency_.disks().At(node_)) {
      Record<EventKind::kMemoryUsed>(node_, uint64_t{disk->used_bytes.load()});
    } else if (DeviceMemory* device = residency_.devices().At(node_)) {
      Record<EventKind::kMemoryUsed>(node_, uint64_t{device->used_bytes()});
    }
  }

 private:
  Residency& residency_;
  const unsigned node_;
  const MemoryOp op_;
  Handle* const handle_;
  const uint64_t size_bytes_;
};

}  // namespace tasklens::runtime
