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

// Record the start and the end of a copy.
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
  Copying(Residency& residency, Handle* handle, unsigned source, unsigned target, uint64_t number)
      : residency_(residency), copy_{handle, source,
                                     target, handle->size_bytes,
                                     number, CopyReason::kFetch} {
    RecordCopyStart(copy_);
    Tell(starpu_prof_tool_event_start_transfer);
  }
  Copying(const Copying&) = delete;
  Copying& operator=(const Copying&) = delete;
  ~Copying() {
    Tell(starpu_prof_tool_event_end_transfer);
    RecordCopyEnd(copy_);
  }

 private:
  void Tell(starpu_prof_tool_event event) const {
    ResidencyHost& host = residency_.host();
    if (!host.Wants(event)) return;
    residency_.Unlocked([&] { host.Tell(event, copy_.target, copy_.size_bytes); });
  }
  Residency& residency_;
  const Shipment copy_;
};

}  // namespace tasklens::runtime
