// SPDX-License-Identifier: Apache-2.0
// Times of answers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tasklens {

// A duration that was computed, as answers have it: no answer has parts of a nanosecond.
inline int64_t WholeNs(double ns) { return std::llround(std::clamp(ns, -9e18, 9e18)); }

}  // namespace tasklens
