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

#ifdef __cplusplus
}
#endif

#endif
