// SPDX-License-Identifier: Apache-2.0
// Parts of handles. They lie in the memory of the whole, so that only the order of tasks changes
// hands, never data.
#pragma once

#include <starpu.h>

#include <vector>

namespace tasklens::runtime {

class Residency;

// A planned partition of a handle (starpu_data_partition_plan), switched on and off by tasks.
struct Plan {
  enum class State {
    kOff,       // the parts may not be used
    kReadonly,  // parts and whole may be read, those of other such plans as well
    kReadWrite  // the parts may be used, and nothing else
  };
  std::vector<starpu_data_handle_t> parts;
  State state = State::kOff;
};

// Makes the parts that `filter` describes; they are not linked to the handle. `residency` may be
// nullptr where the handle has memory of the program's.
std::vector<starpu_data_handle_t> MakeParts(Residency* residency, starpu_data_handle_t handle,
                                            starpu_data_filter* filter);
// A part by its number. That there is none is the program's fault, and ends it with a line.
starpu_data_handle_t Child(starpu_data_handle_t handle, unsigned i);

}  // namespace tasklens::runtime
