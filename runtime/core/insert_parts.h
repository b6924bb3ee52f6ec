// SPDX-License-Identifier: Apache-2.0
// The buffers of a task, one after the other, for wrappers of starpu_task_insert() of other
// people's: they have counted `*current` of them, and there is room for `*allocated` outside of the
// task (0: none).
#pragma once

#include <starpu.h>

namespace tasklens::runtime {

// For so many more than `current`.
void MakeRoom(starpu_task* task, int* allocated, int current, int room);
// Adds one, with its room. A codelet that does not say its mode yet learns it.
void AppendBuffer(starpu_codelet* codelet, starpu_task* task, int* allocated, int* current,
                  unsigned mode, starpu_data_handle_t handle);

}  // namespace tasklens::runtime
