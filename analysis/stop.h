// SPDX-License-Identifier: Apache-2.0
// Ends work early when its result is no longer needed.
//
// A function that takes a `Stop` checks it every few thousand steps; if it is set, the function
// returns at once, and its result is meaningless. The caller checks the same flag.
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
