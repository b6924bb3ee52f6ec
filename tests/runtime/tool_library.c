/* SPDX-License-Identifier: Apache-2.0
 * A tool as a library: counts what it is told, for the test that loads it to ask. */
#include <starpu_profiling_tool.h>
#include <string.h>

static _Atomic int counts[starpu_prof_tool_event_user_end + 1];
static _Atomic int wrong;

static void count(struct starpu_prof_tool_info* info, union starpu_prof_tool_event_info* event,
                  struct starpu_prof_tool_api_info* api) {
  (void)api;
  counts[info->event_type]++;
  wrong += event->event_type != info->event_type || info->thread_id == 0;
  if (info->event_type == starpu_prof_tool_event_start_cpu_exec) {
    wrong += !info->fun_ptr || info->worker_id < 0 || strcmp(info->task_name, "told") != 0;
  }
  if (info->event_type == starpu_prof_tool_event_start_transfer) {
    wrong += info->bytes_to_transfer != 800 || info->bytes_transfered != 0;
  }
}

int tool_count(enum starpu_prof_tool_event event) { return counts[event]; }
int tool_wrong(void) { return wrong; }

void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg,
                                       starpu_prof_tool_entry_register_func unreg) {
  for (int i = starpu_prof_tool_event_init; i <= starpu_prof_tool_event_user_end; i++) {
    reg((enum starpu_prof_tool_event)i, count, starpu_prof_tool_command_reg);
  }
  unreg(starpu_prof_tool_event_driver_init, count, starpu_prof_tool_command_reg);
}
