// SPDX-License-Identifier: Apache-2.0
// Footprints: hashes by which performance models identify the sizes of a task's data.
#pragma once

#include <starpu.h>

#include <cstdint>

namespace tasklens::runtime {

// Returns the footprint of the task's data alone.
uint32_t FootprintOfData(const starpu_task& task);
// Returns the footprint by the model's footprint or size function, if it has one, else
// FootprintOfData(). `arch` may be nullptr: for no particular kind of worker.
uint32_t FootprintOfTask(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                         unsigned implementation);

}  // namespace tasklens::runtime
