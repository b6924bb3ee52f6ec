// SPDX-License-Identifier: Apache-2.0
// Disks: the memory nodes after the main memory and the devices.
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

// Speed of a disk or of a bus to it: bytes per microsecond, and microseconds. 0: not measured.
struct DiskSpeed {
  double bandwidth = 0, latency_us = 0;
};

struct Disk {
  const starpu_disk_ops* ops = nullptr;
  void* base = nullptr;
  size_t size_bytes = 0;  // SIZE_MAX: no limit
  std::atomic<size_t> used_bytes{0};
  DiskSpeed reading, writing;  // measured at registration

  size_t available_bytes() const {
    const size_t used = used_bytes.load(std::memory_order_relaxed);
    return used < size_bytes ? size_bytes - used : 0;
  }
  // Allocates an object of the runtime's own; returns nullptr if there is no room.
  void* Allocate(size_t bytes);
  void Free(void* object, size_t bytes);
};

// Threads: any thread may read the table while another registers a disk.
class Disks {
 public:
  ~Disks();
  // Returns the memory node, or a negative errno.
  int Register(const starpu_disk_ops* ops, void* parameter, starpu_ssize_t size);
  // Registers the swap disk of STARPU_DISK_SWAP and related variables; prints a warning on failure.
  void RegisterFromEnvironment();
  // Returns nullptr if the node is not a disk.
  Disk* At(unsigned node) {
    return node > devices_ && node <= devices_ + count() ? &disks_[node - devices_ - 1] : nullptr;
  }
  // Called at the start: nodes 1 to `devices` belong to devices.
  void ComeAfter(unsigned devices);
  // Returns nullptr unless one of the two nodes is a measured disk. Between two disks: the speed of
  // the slower one.
  const DiskSpeed* SpeedBetween(unsigned source, unsigned target);
  unsigned count() const { return count_.load(std::memory_order_acquire); }
  Buses& buses() { return buses_; }

 private:
  unsigned devices_ = 0;
  int Plug(const starpu_disk_ops* ops, void* parameter, starpu_ssize_t size);
  Mutex register_lock_;  // not held during operations of disks
  Condition registered_;
  // The thread that registers a disk; one at a time.
  const ThreadState* registers_ GUARDED_BY(register_lock_) = nullptr;
  std::array<Disk, STARPU_MAXNODES - 1> disks_;
  std::atomic<unsigned> count_{0};
  Buses buses_;
};

// For disks that are folders: measures writing and reading. `base` is the result of plug().
void MeasureFolder(void* base, DiskSpeed& writing, DiskSpeed& reading);

// Copies between the main memory and disks; returns false if a disk could not read or write. With
// `requests`, disks with asynchronous operations only get a request, which must end before the
// memory is used. `disks`: nullptr if there are none.
bool CopyBetween(Disks* disks, uintptr_t source, size_t source_offset, unsigned source_node,
                 uintptr_t target, size_t target_offset, unsigned target_node, size_t bytes,
                 DiskRequests* requests = nullptr);

}  // namespace tasklens::runtime
