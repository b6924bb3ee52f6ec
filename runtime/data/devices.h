// SPDX-License-Identifier: Apache-2.0
// The memories of devices: the memory nodes between the main memory's and those of disks.
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

// How a driver makes memory on its device; nullptr when there is none left.
struct DeviceMemoryOps {
  std::function<void*(size_t bytes)> allocate;
  std::function<void(void* memory, size_t bytes)> release;
};

// One device's. What is freed is kept for the next allocation of its size (a device takes long to
// allocate), until the room is needed for another size.
class DeviceMemory {
 public:
  ~DeviceMemory();
  // nullptr when it does not fit into what is allowed, or the device has no such room: then no more
  // is allowed from now on than data have by now.
  void* Allocate(size_t bytes);
  void Free(void* memory, size_t bytes);
  // Whether Allocate() would take what was freed before.
  bool HasFreed(size_t bytes);
  size_t used_bytes();       // by data
  size_t available_bytes();  // SIZE_MAX: no limit
  size_t limit_bytes() const { return account_.limit_bytes(); }

  // Guarded by the lock of Residency: what has memory here, the next to be evicted first.
  std::list<Handle*> resident;

 private:
  friend class Devices;
  DeviceMemoryOps ops_ = {};
  starpu_node_kind kind_ = STARPU_UNUSED;
  int number_ = 0;
  std::string name_;
  MemoryAccount account_;              // with what is kept
  Mutex lock_;                         // guards the rest
  bool ReleaseKept() REQUIRES(lock_);  // the largest piece; whether there was one
  std::map<size_t, std::vector<void*>> kept_ GUARDED_BY(lock_);
  size_t kept_bytes_ GUARDED_BY(lock_) = 0;
};

// STARPU_LIMIT_CUDA_MEM and its kin: bytes.
std::optional<size_t> LimitFromEnvironment(int device);

// Filled before the workers start, constant then.
class Devices {
 public:
  // The memory node of a new one. `limit_bytes` 0: no limit. REQUIRES: there is a node left.
  unsigned Add(starpu_node_kind kind, int number, const DeviceMemoryOps& ops, size_t limit_bytes);
  // nullptr when the node is none of a device.
  DeviceMemory* At(unsigned node) {
    return node >= 1 && node <= count_ ? &memories_[node - 1] : nullptr;
  }
  unsigned count() const { return count_; }
  // "CUDA 0", STARPU_CUDA_RAM, 0. REQUIRES: At(node).
  const std::string& NameOf(unsigned node) const { return memories_[node - 1].name_; }
  starpu_node_kind KindOf(unsigned node) const { return memories_[node - 1].kind_; }
  int NumberOf(unsigned node) const { return memories_[node - 1].number_; }

 private:
  std::array<DeviceMemory, STARPU_MAXNODES - 1> memories_;
  unsigned count_ = 0;
};

}  // namespace tasklens::runtime
