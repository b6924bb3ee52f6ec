// SPDX-License-Identifier: Apache-2.0
// How long work ends early when nobody waits for its result any more.
//
// A function that takes a `Stop` looks at it every few thousand steps; when it says so, the
// function returns at once, and what it returns is to be thrown away. The caller looks at the same
// flag.
#pragma once

#include <atomic>
#include <cstdint>

namespace tasklens {

// nullptr: never stops. Another thread may set the flag.
using Stop = const std::atomic<bool>*;

inline bool Stopped(Stop stop) { return stop != nullptr && stop->load(std::memory_order_relaxed); }
// The same for loops, at the price of a test of `step`.
inline bool Stopped(Stop stop, uint64_t step) { return step % 8192 == 0 && Stopped(stop); }

}  // namespace tasklens
