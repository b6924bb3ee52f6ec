// SPDX-License-Identifier: Apache-2.0
// starpu_task_insert_data_*(): the buffers of a task, one after the other, for wrappers of
// starpu_task_insert() of other people's.
#include <starpu.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

void Put(starpu_codelet* codelet, starpu_task* task, int* allocated, int* current, unsigned mode,
         starpu_data_handle_t handle) {
  if (!handle) Fatal("starpu_task_insert_data_...(): handle %d is NULL", *current);
  starpu_task_insert_data_make_room(codelet, task, allocated, *current, 1);
  const auto index = static_cast<size_t>(*current);
  const auto access =
      static_cast<starpu_data_access_mode>(mode & ~static_cast<unsigned>(STARPU_SSEND));
  (task->dyn_handles ? task->dyn_handles : task->handles)[index] = handle;
  (task->dyn_modes ? task->dyn_modes : task->modes)[index] = access;
  if (codelet->nbuffers != STARPU_VARIABLE_NBUFFERS) {
    if (*current >= codelet->nbuffers)
      Fatal("starpu_task_insert_data_...(): codelet '%s' has %d buffers, and here is one more",
            codelet->name ? codelet->name : "", codelet->nbuffers);
    starpu_data_access_mode& known =
        codelet->dyn_modes ? codelet->dyn_modes[index] : codelet->modes[index];
    if (known == STARPU_NONE) known = access;
  }
  ++*current;
}

}  // namespace

extern "C" {

void starpu_task_insert_data_make_room(starpu_codelet*, starpu_task* task, int* allocated,
                                       int current, int room) {
  const int wanted = current + room;
  if (wanted <= std::max(*allocated, STARPU_NMAXBUFS)) return;
  const auto count = static_cast<size_t>(std::max(wanted, 2 * *allocated));
  auto* const handles =
      static_cast<starpu_data_handle_t*>(malloc(count * sizeof(starpu_data_handle_t)));
  auto* const modes =
      static_cast<starpu_data_access_mode*>(malloc(count * sizeof(starpu_data_access_mode)));
  if (!handles || !modes) Fatal("no memory for the %zu buffers of a task", count);
  std::copy_n(task->dyn_handles ? task->dyn_handles : task->handles, current, handles);
  std::copy_n(task->dyn_modes ? task->dyn_modes : task->modes, current, modes);
  free(task->dyn_handles);
  free(task->dyn_modes);
  task->dyn_handles = handles;
  task->dyn_modes = modes;
  *allocated = static_cast<int>(count);
}
void starpu_task_insert_data_process_arg(starpu_codelet* codelet, starpu_task* task, int* allocated,
                                         int* current, int mode, starpu_data_handle_t handle) {
  Put(codelet, task, allocated, current, static_cast<unsigned>(mode), handle);
}
void starpu_task_insert_data_process_array_arg(starpu_codelet* codelet, starpu_task* task,
                                               int* allocated, int* current, int count,
                                               starpu_data_handle_t* handles) {
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<size_t>(*current);
    Put(codelet, task, allocated, current,
        codelet->dyn_modes ? codelet->dyn_modes[index] : codelet->modes[index], handles[i]);
  }
}
void starpu_task_insert_data_process_mode_array_arg(starpu_codelet* codelet, starpu_task* task,
                                                    int* allocated, int* current, int count,
                                                    starpu_data_descr* data) {
  for (int i = 0; i < count; ++i)
    Put(codelet, task, allocated, current, data[i].mode, data[i].handle);
}

}  // extern "C"
