// SPDX-License-Identifier: Apache-2.0
// Disks: the memory nodes after those of the main memory and of devices.
#pragma once

#include <starpu.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "runtime/data/disk/buses.h"
#include "runtime/data/disk/requests.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// Of a disk, or of a way to it: bytes a microsecond, and microseconds. 0: nobody measured.
struct DiskSpeed {
  double bandwidth = 0, latency_us = 0;
};

struct Disk {
  const starpu_disk_ops* ops = nullptr;
  void* base = nullptr;
  size_t size_bytes = 0;  // SIZE_MAX: no limit
  std::atomic<size_t> used_bytes{0};
  DiskSpeed reading, writing;  // measured when it was registered

  size_t available_bytes() const {
    const size_t used = used_bytes.load(std::memory_order_relaxed);
    return used < size_bytes ? size_bytes - used : 0;
  }
  // An object of the runtime's own; nullptr when there is no room.
  void* Allocate(size_t bytes);
  void Free(void* object, size_t bytes);
};

// Any thread may look at disks while another registers one.
class Disks {
 public:
  ~Disks();
  // The memory node, or a negative errno.
  int Register(const starpu_disk_ops* ops, void* parameter, starpu_ssize_t size);
  // What STARPU_DISK_SWAP and its kin ask for; a line says when it cannot be had.
  void RegisterFromEnvironment();
  // nullptr when the node is none of a disk.
  Disk* At(unsigned node) {
    return node > devices_ && node <= devices_ + count() ? &disks_[node - devices_ - 1] : nullptr;
  }
  // At the start: so many memory nodes are those of devices.
  void ComeAfter(unsigned devices);
  // nullptr unless one of the two is a disk that was measured. Between disks: of the slower.
  const DiskSpeed* SpeedBetween(unsigned source, unsigned target);
  unsigned count() const { return count_.load(std::memory_order_acquire); }
  Buses& buses() { return buses_; }

 private:
  unsigned devices_ = 0;
  int Plug(const starpu_disk_ops* ops, void* parameter, starpu_ssize_t size);
  Mutex register_lock_;  // not while operations of disks are called
  Condition registered_;
  const ThreadState* registers_ GUARDED_BY(register_lock_) = nullptr;  // who does, one at a time
  std::array<Disk, STARPU_MAXNODES - 1> disks_;
  std::atomic<unsigned> count_{0};
  Buses buses_;
};

// Of the disks that are folders: what their memory takes to be written and read, `base` being what
// plug() returned.
void MeasureFolder(void* base, DiskSpeed& writing, DiskSpeed& reading);

// Copies between the main memory and disks; false when it could not be read or written. With
// `requests` a disk that can do it beside us is only asked to; they end before the memory is used.
// `disks`: nullptr where there are none.
bool CopyBetween(Disks* disks, uintptr_t source, size_t source_offset, unsigned source_node,
                 uintptr_t target, size_t target_offset, unsigned target_node, size_t bytes,
                 DiskRequests* requests = nullptr);

}  // namespace tasklens::runtime
