// SPDX-License-Identifier: Apache-2.0
// How much memory this process has for itself, and how it gives back what it does not need.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <mutex>

namespace tasklens {

// In use now, without pages of files, which the system can take back; 0 when it cannot be told.
inline uint64_t OwnMemoryBytes() {
  uint64_t pages = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident >> shared;
  return (resident - std::min(shared, resident)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Gives what was freed back to the system, else the next request would be refused for what this one
// needed. To be called by the thread that took it: malloc_trim() leaves the free end of a thread's
// heap, up to 64 MiB, which only goes when that thread frees something while the threshold is low.
// Any thread; the threshold is the process's, so one at a time.
inline void GiveMemoryBack() {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  constexpr int kLowBytes = 128 << 10;
  constexpr int kUsualBytes = 64 << 20;  // the most that the C library itself comes to
  mallopt(M_TRIM_THRESHOLD, kLowBytes);
  void* volatile some = std::malloc(kLowBytes);  // volatile: else the compiler leaves out the pair
  std::free(some);
  mallopt(M_TRIM_THRESHOLD, kUsualBytes);
  malloc_trim(0);
}

// Notices that this process has grown beyond a limit, and remembers it: what was read so far is
// given back before anybody asks why it ended.
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
