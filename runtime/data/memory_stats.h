// SPDX-License-Identifier: Apache-2.0
// Statistics of registered handles and of how often tasks used them (STARPU_MEMORY_STATS). Nothing
// is counted unless the variable is set when the runtime starts.
#pragma once

#include <cstdio>
#include <unordered_map>

#include "runtime/jobs/job.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

class MemoryStats {
 public:
  // Whether STARPU_MEMORY_STATS is set.
  static bool Wanted();

  void Registered(Handle* handle);
  void Forgotten(Handle* handle);
  // A task used the data in place.
  void Used(Handle* handle);
  // Loaded: the runtime allocated the handle's memory. Invalidated: the value was discarded.
  void Loaded(Handle* handle);
  void Invalidated(Handle* handle);

  // Prints one block per handle, in the order of registration.
  void Print(FILE* file);

 private:
  struct Entry {
    uint64_t order = 0;
    uint64_t used = 0, loaded = 0, invalidated = 0;
  };
  void Count(Handle* handle, uint64_t Entry::*what);

  Mutex lock_;
  uint64_t next_order_ GUARDED_BY(lock_) = 0;
  std::unordered_map<Handle*, Entry> entries_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
