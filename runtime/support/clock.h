// SPDX-License-Identifier: Apache-2.0
// The clock of the runtime.
#pragma once

#include <cstdint>

namespace tasklens::runtime {

// Returns CLOCK_MONOTONIC in nanoseconds, or the time of a simulation (virtual_time.h). Threads:
// any.
uint64_t NowNs();

}  // namespace tasklens::runtime
