// SPDX-License-Identifier: Apache-2.0
// The memory use of this process, and returning freed memory to the system.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <mutex>

namespace tasklens {

// Returns the memory in use now, without file pages, which the system can reclaim; 0 if unknown.
inline uint64_t OwnMemoryBytes() {
  uint64_t pages = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident >> shared;
  return (resident - std::min(shared, resident)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Returns freed memory to the system; otherwise the next request would be refused because of the
// memory that this one used. Call this on the thread that allocated it: malloc_trim() keeps the
// free end of a thread's heap, up to 64 MiB, which is released only if that thread frees something
// while the threshold is low. Any thread; the threshold is per process, so calls are serialized.
inline void GiveMemoryBack() {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  constexpr int kLowBytes = 128 << 10;
  constexpr int kUsualBytes = 64 << 20;  // the highest value that the C library itself reaches
  mallopt(M_TRIM_THRESHOLD, kLowBytes);
  void* volatile some = std::malloc(kLowBytes);  // volatile: else the compiler leaves out the pair
  std::free(some);
  mallopt(M_TRIM_THRESHOLD, kUsualBytes);
  malloc_trim(0);
}

// Checks whether this process exceeded a memory limit, and remembers it: the memory may be freed
// again before the caller asks why the work ended.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes) : bytes_(bytes) {}  // 0: none
  bool IsExceeded() {
    is_exceeded_ = is_exceeded_ || (bytes_ > 0 && OwnMemoryBytes() > bytes_);
    return is_exceeded_;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  const uint64_t bytes_;
  bool is_exceeded_ = false;
};

}  // namespace tasklens
