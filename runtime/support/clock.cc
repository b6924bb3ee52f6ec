// SPDX-License-Identifier: Apache-2.0
#include "runtime/support/clock.h"

#include <ctime>

#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {

uint64_t NowNs() {
  if (VirtualTime::On()) return VirtualTime::NowNs();
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace tasklens::runtime
