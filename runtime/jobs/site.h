// SPDX-License-Identifier: Apache-2.0
// A line of the program that calls the runtime.
#pragma once

#include <cstdint>

namespace tasklens::runtime {

// Where a task was submitted. The strings are constants of the program. `file` nullptr: not known.
struct Site {
  const char* file = nullptr;
  const char* function = nullptr;
  uint32_t line = 0;
};

}  // namespace tasklens::runtime
