// SPDX-License-Identifier: Apache-2.0
// Times in answers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tasklens {

// Rounds a computed duration, because answers have whole nanoseconds.
inline int64_t WholeNs(double ns) { return std::llround(std::clamp(ns, -9e18, 9e18)); }

}  // namespace tasklens
