// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/memory_stats.h"

#include <algorithm>
#include <vector>

#include "runtime/data/handle.h"
#include "runtime/support/environment.h"

namespace tasklens::runtime {

bool MemoryStats::Wanted() { return EnvironmentNumber("STARPU_MEMORY_STATS").value_or(0) > 0; }

void MemoryStats::Registered(Handle* handle) {
  MutexLock guard(lock_);
  entries_[handle].order = next_order_++;
}
void MemoryStats::Forgotten(Handle* handle) {
  MutexLock guard(lock_);
  entries_.erase(handle);
}

void MemoryStats::Count(Handle* handle, uint64_t Entry::*what) {
  MutexLock guard(lock_);
  if (const auto at = entries_.find(handle); at != entries_.end()) ++(at->second.*what);
}
void MemoryStats::Used(Handle* handle) { Count(handle, &Entry::used); }
void MemoryStats::Loaded(Handle* handle) { Count(handle, &Entry::loaded); }
void MemoryStats::Invalidated(Handle* handle) { Count(handle, &Entry::invalidated); }

void MemoryStats::Print(FILE* file) {
  MutexLock guard(lock_);
  std::vector<std::pair<Handle*, Entry>> sorted(entries_.begin(), entries_.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.order < b.second.order; });
  fprintf(file, "#---------------------\nMemory stats :\n");
  if (!sorted.empty()) fprintf(file, "#-------\nData on Node #0\n");
  for (const auto& [handle, entry] : sorted) {
    fprintf(file,
            "#-------\nData : %p\nSize : %llu\n\n#--\nData access stats\n/!\\ Work Underway\n"
            "Node #0\n\tDirect access : %llu\n\tLoaded (Owner) : %llu\n\tLoaded (Shared) : 0\n"
            "\tInvalidated (was Owner) : %llu\n\n",
            static_cast<void*>(handle), static_cast<unsigned long long>(handle->size_bytes),
            static_cast<unsigned long long>(entry.used),
            static_cast<unsigned long long>(entry.loaded),
            static_cast<unsigned long long>(entry.invalidated));
  }
  fprintf(file, "#---------------------\n");
}

}  // namespace tasklens::runtime
