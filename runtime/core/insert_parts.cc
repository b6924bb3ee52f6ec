// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/insert_parts.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/support/message.h"

namespace tasklens::runtime {

void MakeRoom(starpu_task* task, int* allocated, int current, int room) {
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

void AppendBuffer(starpu_codelet* codelet, starpu_task* task, int* allocated, int* current,
                  unsigned mode, starpu_data_handle_t handle) {
  if (!handle) Fatal("starpu_task_insert_data_...(): handle %d is NULL", *current);
  MakeRoom(task, allocated, *current, 1);
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

}  // namespace tasklens::runtime
