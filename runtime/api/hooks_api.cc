// SPDX-License-Identifier: Apache-2.0
// Registers functions of the program that workers call: starpu_progression_hook_register() and
// others.
#include <starpu.h>

#include "runtime/core/hooks.h"
#include "runtime/core/runtime.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_wake_all_blocked_workers(void) { Runtime::Get(__func__).sleepers().WakeAll(); }
int starpu_progression_hook_register(unsigned (*function)(void*), void* argument) {
  Runtime& runtime = Runtime::Get(__func__);
  const int id = runtime.hooks().Add(function, argument);
  runtime.sleepers().WakeAll();
  return id;
}
void starpu_progression_hook_deregister(int id) { Runtime::Get(__func__).hooks().Remove(id); }
int starpu_idle_hook_register(unsigned (*function)(void*), void* argument) {
  return starpu_progression_hook_register(function, argument);
}
void starpu_idle_hook_deregister(int id) { starpu_progression_hook_deregister(id); }

void starpu_worker_set_going_to_sleep_callback(void (*callback)(unsigned)) {
  Runtime::Get(__func__).hooks().falls_asleep = callback;
}
void starpu_worker_set_waking_up_callback(void (*callback)(unsigned)) {
  Runtime::Get(__func__).hooks().wakes_up = callback;
}
void starpu_task_notify_ready_soon_register(starpu_notify_ready_soon_func function, void* data) {
  Runtime::Get(__func__).hooks().SetReadySoon(function, data);
}

}  // extern "C"
