/* SPDX-License-Identifier: Apache-2.0
 * Recording a run. STARPU_FXT_TRACE=1 records it; see runtime/README.md for the other variables. */
#ifndef __STARPU_FXT_H__
#define __STARPU_FXT_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Before starpu_init(): whether recording begins with the run (the default) or only with
 * starpu_fxt_start_profiling(). */
void starpu_fxt_autostart_profiling(int autostart);
void starpu_fxt_start_profiling(void);
void starpu_fxt_stop_profiling(void);
/* Whether this run has a trace. */
int starpu_fxt_is_enabled(void);
/* Events of the program's own, from any thread. */
void starpu_fxt_trace_user_event(unsigned long code);
void starpu_fxt_trace_user_event_string(const char* s);
void starpu_fxt_trace_user_meta_string(const char* s);

/* What starpu_fxt_tool does, from a program: converts traces. Zero is the default of each field;
 * the texts stay the caller's. */
#define STARPU_FXT_MAX_FILES 64
struct starpu_fxt_options {
  unsigned per_task_colour; /* -c */
  unsigned no_events;
  unsigned no_counter;
  unsigned no_bus;
  unsigned no_flops;
  unsigned no_smooth;
  unsigned no_acquire;
  unsigned memory_states;
  unsigned internal;
  unsigned label_deps;
  unsigned number_events;
  unsigned use_task_color;
  unsigned ninputfiles;
  char* filenames[STARPU_FXT_MAX_FILES];
  char* out_paje_path; /* -o; NULL: paje.trace */
  char* dir;           /* -d; NULL: the current folder */
};
void starpu_fxt_options_init(struct starpu_fxt_options* options);
void starpu_fxt_options_shutdown(struct starpu_fxt_options* options);
/* Runs the converter and waits for it. One line on standard error when it fails. */
void starpu_fxt_generate_trace(struct starpu_fxt_options* options);
/* The same for what starpu_fxt_data_trace writes, into the current folder: for each name of tasks a
 * file of it with a line for each task (milliseconds, bytes of its data, worker), and a list of
 * these files, codelet_list. */
void starpu_fxt_write_data_trace(char* filename_in);
void starpu_fxt_write_data_trace_in_dir(char* filename_in, char* dir);

#ifdef __cplusplus
}
#endif

#endif
