// SPDX-License-Identifier: Apache-2.0
// Parts of handles. A part lies in the memory of its whole, so partitioning copies no data; only
// the order of tasks changes.
#pragma once

#include <starpu.h>

#include <vector>

namespace tasklens::runtime {

class Residency;

// A planned partition of a handle (starpu_data_partition_plan), switched on and off by tasks.
struct Plan {
  enum class State {
    kOff,       // the parts may not be used
    kReadonly,  // the parts and the whole may be read, and the parts of other readonly plans
    kReadWrite  // only the parts may be used
  };
  std::vector<starpu_data_handle_t> parts;
  State state = State::kOff;
};

// Creates the parts that `filter` describes; they are not linked to the handle. `residency` may be
// nullptr if the program allocated the handle's memory.
std::vector<starpu_data_handle_t> MakeParts(Residency* residency, starpu_data_handle_t handle,
                                            starpu_data_filter* filter);
// Returns part `i`. Ends the program with a message if there is no such part.
starpu_data_handle_t Child(starpu_data_handle_t handle, unsigned i);

}  // namespace tasklens::runtime
