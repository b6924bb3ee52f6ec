// SPDX-License-Identifier: Apache-2.0
// starpu_task_insert_data_*(): add buffers to a task one by one, for third-party wrappers of
// starpu_task_insert().
#include <starpu.h>

#include "runtime/core/insert_parts.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_task_insert_data_make_room(starpu_codelet*, starpu_task* task, int* allocated,
                                       int current, int room) {
  MakeRoom(task, allocated, current, room);
}
void starpu_task_insert_data_process_arg(starpu_codelet* codelet, starpu_task* task, int* allocated,
                                         int* current, int mode, starpu_data_handle_t handle) {
  AppendBuffer(codelet, task, allocated, current, static_cast<unsigned>(mode), handle);
}
void starpu_task_insert_data_process_array_arg(starpu_codelet* codelet, starpu_task* task,
                                               int* allocated, int* current, int count,
                                               starpu_data_handle_t* handles) {
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<size_t>(*current);
    AppendBuffer(codelet, task, allocated, current,
                 codelet->dyn_modes ? codelet->dyn_modes[index] : codelet->modes[index],
                 handles[i]);
  }
}
void starpu_task_insert_data_process_mode_array_arg(starpu_codelet* codelet, starpu_task* task,
                                                    int* allocated, int* current, int count,
                                                    starpu_data_descr* data) {
  for (int i = 0; i < count; ++i)
    AppendBuffer(codelet, task, allocated, current, data[i].mode, data[i].handle);
}

}  // extern "C"
