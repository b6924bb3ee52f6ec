// SPDX-License-Identifier: Apache-2.0
// The ticks of a time axis and their labels.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_clock.h"
#include "analysis/task_times.h"

namespace tasklens {

// The distance between two ticks for about `count` ticks: 1, 2 or 5 times a power of ten.
int64_t TickNs(int64_t length_ns, double count);

struct Tick {
  int64_t at_ns;     // in model time
  std::string text;  // in clock time: all ticks in one unit, no two equal
};
// About `count` ticks from `range.begin_ns` to `range.end_ns`, both included.
std::vector<Tick> TicksOf(const RunClock& clock, Span range, double count);

}  // namespace tasklens
