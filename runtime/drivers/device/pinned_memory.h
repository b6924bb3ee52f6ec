// SPDX-License-Identifier: Apache-2.0
// Main memory that is pinned, so that devices copy it by themselves: what starpu_malloc() gave, and
// what starpu_memory_pin() named. Threads: any.
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
  // What is left is not pinned any more; the memory itself is its owner's.
  ~PinnedMemory();
  // Whether it is pinned now; a line, once, says why not.
  bool Pin(void* memory, size_t bytes);
  // Whether it was.
  bool Unpin(void* memory);
  // Whether what lies there is pinned.
  bool Has(const void* memory);

 private:
  Accelerators& accelerators_;
  std::atomic<bool> complained_{false};
  Mutex lock_;  // guards the rest
  std::map<void*, size_t> pinned_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
