// SPDX-License-Identifier: Apache-2.0
// Rounds times for answers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tasklens {

// Rounds a duration to whole nanoseconds, the unit of answers.
inline int64_t WholeNs(double ns) { return std::llround(std::clamp(ns, -9e18, 9e18)); }

}  // namespace tasklens
