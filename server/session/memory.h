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

}  // namespace tasklens
