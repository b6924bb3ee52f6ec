// SPDX-License-Identifier: Apache-2.0
// Cutting handles into parts. The parts lie in the memory of the whole, so that only the order of
// tasks changes hands, never data.
#pragma once

#include <starpu.h>

#include <vector>

namespace tasklens::runtime {

// A planned partition of a handle (starpu_data_partition_plan), switched on and off by tasks.
struct Plan {
  std::vector<starpu_data_handle_t> parts;
};

// Makes the parts that `filter` describes; they are not linked to the handle.
std::vector<starpu_data_handle_t> MakeParts(starpu_data_handle_t handle,
                                            starpu_data_filter* filter);

// Submits what must be switched so that tasks submitted from now on may use the handle itself:
// its own active plan off, and the plan that it is a part of on.
void SwitchTo(starpu_data_handle_t handle);

}  // namespace tasklens::runtime
