// SPDX-License-Identifier: Apache-2.0
// Where an axis of time has ticks, and what they say.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace tasklens {

// The time between two ticks, so that some `count` of them fit: 1, 2 or 5 times a power of ten.
int64_t TickNs(int64_t length_ns, double count);

// A moment on an axis with a tick each `tick_ns` until `to_ns`: in one unit, with so many digits
// that no two ticks read the same.
std::string TickText(int64_t at_ns, int64_t tick_ns, int64_t to_ns);

}  // namespace tasklens
