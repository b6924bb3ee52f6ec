// SPDX-License-Identifier: Apache-2.0
// Pinned main memory, which devices copy asynchronously: memory from starpu_malloc(), and memory
// pinned with starpu_memory_pin(). Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>

#include "runtime/drivers/accelerators.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

class PinnedMemory {
 public:
  explicit PinnedMemory(Accelerators& accelerators) : accelerators_(accelerators) {}
  // Unpins all memory that is left; the memory itself belongs to its owners.
  ~PinnedMemory();
  // Returns whether the memory is pinned now. Prints a warning on the first failure.
  bool Pin(void* memory, size_t bytes);
  // Returns whether the memory was pinned.
  bool Unpin(void* memory);
  // Whether `memory` lies in pinned memory.
  bool Has(const void* memory);

 private:
  Accelerators& accelerators_;
  std::atomic<bool> complained_{false};
  Mutex lock_;  // guards the rest
  std::map<void*, size_t> pinned_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
