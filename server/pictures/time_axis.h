// SPDX-License-Identifier: Apache-2.0
// Where an axis of time has ticks, and what they say.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_clock.h"
#include "analysis/task_times.h"

namespace tasklens {

// The time between two ticks, so that some `count` of them fit: 1, 2 or 5 times a power of ten.
int64_t TickNs(int64_t length_ns, double count);

struct Tick {
  int64_t at_ns;     // in the model's time
  std::string text;  // in the clock's: in one unit, and no two read the same
};
// Some `count` of them from `range.begin_ns` to `range.end_ns`, both included.
std::vector<Tick> TicksOf(const RunClock& clock, Span range, double count);

}  // namespace tasklens
