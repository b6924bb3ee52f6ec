// SPDX-License-Identifier: Apache-2.0
// Times of answers.
#pragma once

#include <cstdint>

namespace tasklens {

// A duration that was computed, as answers have it: no answer has parts of a nanosecond.
int64_t WholeNs(double ns);

}  // namespace tasklens
