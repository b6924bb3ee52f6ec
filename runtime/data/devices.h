// SPDX-License-Identifier: Apache-2.0
// Memory of devices: the memory nodes after the main memory and before the disks.
#pragma once

#include <starpu.h>

#include <array>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/jobs/job.h"
#include "runtime/support/memory_account.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// Allocates and frees memory on the driver's device. `allocate` returns nullptr if there is none
// left.
struct DeviceMemoryOps {
  std::function<void*(size_t bytes)> allocate;
  std::function<void(void* memory, size_t bytes)> release;
};

// The memory of one device. Freed pieces are kept for the next allocation of the same size, because
// devices allocate slowly, until another size needs the room.
class DeviceMemory {
 public:
  ~DeviceMemory();
  // Returns nullptr if `bytes` exceed the limit or the device has no room; in the second case the
  // limit becomes the size that data use now.
  void* Allocate(size_t bytes);
  void Free(void* memory, size_t bytes);
  // Whether Allocate() would reuse a kept piece.
  bool HasFreed(size_t bytes);
  size_t used_bytes();       // by data
  size_t available_bytes();  // SIZE_MAX: no limit
  size_t limit_bytes() const { return account_.limit_bytes(); }

  // Handles with memory on this device, the next to be evicted first. Guarded by the lock of
  // Residency.
  std::list<Handle*> resident;

 private:
  friend class Devices;
  DeviceMemoryOps ops_ = {};
  starpu_node_kind kind_ = STARPU_UNUSED;
  int number_ = 0;
  std::string name_;
  MemoryAccount account_;  // counts kept pieces as well
  Mutex lock_;             // guards the rest
  // Frees the largest kept piece; returns false if there is none.
  bool ReleaseKept() REQUIRES(lock_);
  std::map<size_t, std::vector<void*>> kept_ GUARDED_BY(lock_);
  size_t kept_bytes_ GUARDED_BY(lock_) = 0;
};

// Returns STARPU_LIMIT_CUDA_<device>_MEM, else STARPU_LIMIT_CUDA_MEM, in bytes; nullopt if neither
// is set.
std::optional<size_t> LimitFromEnvironment(int device);

// Filled before the workers start, constant afterwards.
class Devices {
 public:
  // Adds a device and returns its memory node. `limit_bytes` 0: no limit. REQUIRES: there is a node
  // left.
  unsigned Add(starpu_node_kind kind, int number, const DeviceMemoryOps& ops, size_t limit_bytes);
  // Returns nullptr if the node is not a device.
  DeviceMemory* At(unsigned node) {
    return node >= 1 && node <= count_ ? &memories_[node - 1] : nullptr;
  }
  unsigned count() const { return count_; }
  // Return, for example, "CUDA 0", STARPU_CUDA_RAM, 0. REQUIRES: At(node).
  const std::string& NameOf(unsigned node) const { return memories_[node - 1].name_; }
  starpu_node_kind KindOf(unsigned node) const { return memories_[node - 1].kind_; }
  int NumberOf(unsigned node) const { return memories_[node - 1].number_; }

 private:
  std::array<DeviceMemory, STARPU_MAXNODES - 1> memories_;
  unsigned count_ = 0;
};

}  // namespace tasklens::runtime
