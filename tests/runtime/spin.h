// SPDX-License-Identifier: Apache-2.0
// What a task of a test does where its length is what is looked at: it works, as a real one would.
#pragma once

#include <starpu.h>

namespace tasklens {

// Keeps its processor until so much time has passed on the clock of the runtime.
inline void SpinUs(double us) {
  for (const double begin_us = starpu_timing_now(); starpu_timing_now() - begin_us < us;) {
  }
}

}  // namespace tasklens
