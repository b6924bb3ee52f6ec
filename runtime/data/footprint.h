// SPDX-License-Identifier: Apache-2.0
// Footprints: the numbers by which performance models know the sizes of a task's data.
#pragma once

#include <starpu.h>

#include <cstdint>

namespace tasklens::runtime {

// Of the task's data alone.
uint32_t FootprintOfData(const starpu_task& task);
// As the model says, where it says how; `arch` may be nullptr: of no worker's kind in particular.
uint32_t FootprintOfTask(starpu_perfmodel* model, starpu_task* task, starpu_perfmodel_arch* arch,
                         unsigned implementation);

}  // namespace tasklens::runtime
