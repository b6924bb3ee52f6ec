// SPDX-License-Identifier: Apache-2.0
// How much memory this process has for itself.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace tasklens {

// In use now, without pages of files, which the system can take back; 0 when it cannot be told.
inline uint64_t OwnMemoryBytes() {
  uint64_t pages = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident >> shared;
  return (resident - std::min(shared, resident)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
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
