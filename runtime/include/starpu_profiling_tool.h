/* SPDX-License-Identifier: Apache-2.0
 * Tools that are told what the runtime does. STARPU_PROF_TOOL names their libraries, separated by
 * colons; each has a function starpu_prof_tool_library_register(), which starpu_init() calls. */
#ifndef __STARPU_PROFILING_TOOL_H__
#define __STARPU_PROFILING_TOOL_H__

#include <starpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* starpu_init(): init_begin, init, init_end; a worker's thread: driver_init_start, driver_init,
 * driver_init_end, driver_deinit; around a task's function: the exec events of CPUs; around a copy
 * to or from a disk: the transfer events; starpu_shutdown(): terminate. The others never come. */
enum starpu_prof_tool_event {
  starpu_prof_tool_event_none = 0,
  starpu_prof_tool_event_init,
  starpu_prof_tool_event_terminate,
  starpu_prof_tool_event_init_begin,
  starpu_prof_tool_event_init_end,
  starpu_prof_tool_event_driver_init,
  starpu_prof_tool_event_driver_deinit,
  starpu_prof_tool_event_driver_init_start,
  starpu_prof_tool_event_driver_init_end,
  starpu_prof_tool_event_start_cpu_exec,
  starpu_prof_tool_event_end_cpu_exec,
  starpu_prof_tool_event_start_gpu_exec,
  starpu_prof_tool_event_end_gpu_exec,
  starpu_prof_tool_event_start_transfer,
  starpu_prof_tool_event_end_transfer,
  starpu_prof_tool_event_user_start,
  starpu_prof_tool_event_user_end
};

enum starpu_prof_tool_driver_type {
  starpu_prof_tool_driver_cpu,
  starpu_prof_tool_driver_gpu,
  starpu_prof_tool_driver_hip,
  starpu_prof_tool_driver_ocl
};

/* All mean the same: from now on. */
enum starpu_prof_tool_command {
  starpu_prof_tool_command_reg = 0,
  starpu_prof_tool_command_toggle = 1,
  starpu_prof_tool_command_toggle_per_thread = 2
};

/* What does not belong to the event is 0, NULL or -1. The texts and the structure are the
 * runtime's, until the callback returns. */
struct starpu_prof_tool_info {
  struct starpu_conf* conf; /* of init_begin, init and init_end */
  enum starpu_prof_tool_event event_type;
  unsigned int starpu_version[3];
  int thread_id; /* as the operating system numbers it */
  int worker_id;
  const char* task_name;
  const char* model_name;
  int device_number;
  enum starpu_prof_tool_driver_type driver_type;
  unsigned memnode; /* where the copy goes */
  unsigned bytes_to_transfer;
  unsigned bytes_transfered;
  void* fun_ptr;
};
union starpu_prof_tool_event_info {
  enum starpu_prof_tool_event event_type;
};
struct starpu_prof_tool_api_info {
  int unused;
};

/* Called by the thread in which it happens. */
typedef void (*starpu_prof_tool_cb_func)(struct starpu_prof_tool_info* prof_info,
                                         union starpu_prof_tool_event_info* event_info,
                                         struct starpu_prof_tool_api_info* api_info);
/* From any thread, until starpu_shutdown(). An event has one callback, that of the last
 * registration; unregistering another one does nothing. */
typedef void (*starpu_prof_tool_entry_register_func)(enum starpu_prof_tool_event event_type,
                                                     starpu_prof_tool_cb_func cb,
                                                     enum starpu_prof_tool_command info);

/* Of the tool. */
extern void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg,
                                              starpu_prof_tool_entry_register_func unreg);

#ifdef __cplusplus
}
#endif

#endif
