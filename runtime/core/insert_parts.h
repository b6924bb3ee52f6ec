// SPDX-License-Identifier: Apache-2.0
// Adds buffers to a task one by one, for third-party wrappers of starpu_task_insert(). `*current`
// is the number of buffers so far, `*allocated` the size of the arrays outside the task (0: none).
#pragma once

#include <starpu.h>

namespace tasklens::runtime {

// Makes room for `room` buffers more than `current`.
void MakeRoom(starpu_task* task, int* allocated, int current, int room);
// Adds a buffer, making room for it. A codelet without a mode for this buffer gets `mode`.
void AppendBuffer(starpu_codelet* codelet, starpu_task* task, int* allocated, int* current,
                  unsigned mode, starpu_data_handle_t handle);

}  // namespace tasklens::runtime
