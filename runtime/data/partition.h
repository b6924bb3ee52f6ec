// SPDX-License-Identifier: Apache-2.0
// Cutting handles into parts. The parts lie in the memory of the whole, so that only the order of
// tasks changes hands, never data.
#pragma once

#include <starpu.h>

#include <vector>

namespace tasklens::runtime {

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

// Makes the parts that `filter` describes; they are not linked to the handle.
std::vector<starpu_data_handle_t> MakeParts(starpu_data_handle_t handle,
                                            starpu_data_filter* filter);

// Cuts a handle that nobody uses; puts it together again, with the parts' parts. They wait for its
// users, and are not for the inside of a task.
void Partition(starpu_data_handle_t handle, starpu_data_filter* filter);
void Unpartition(starpu_data_handle_t handle);
// Cuts the leaves of the tree below the handle.
void MapFilter(starpu_data_handle_t handle, starpu_data_filter* filter);
// A part by its number. That there is none is the program's fault, and ends it with a line.
starpu_data_handle_t Child(starpu_data_handle_t handle, unsigned i);

// Submits what must be switched so that tasks submitted from now on may use the handle itself, to
// read it or also to write: its own plans off or readonly, and the plan that it is a part of on.
void SwitchPlans(starpu_data_handle_t handle, bool writes);

}  // namespace tasklens::runtime
