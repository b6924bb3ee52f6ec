/* SPDX-License-Identifier: Apache-2.0
 * The environment, the clock, running a function on workers, copying a handle. */
#ifndef __STARPU_HELPER_H__
#define __STARPU_HELPER_H__

#include <hwloc.h>
#include <starpu_config.h>
#include <starpu_data.h>
#include <starpu_util.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NULL when unset. */
char* starpu_getenv(const char* str);
/* Index in the NULL-terminated `strings` of the variable's value, `defvalue` when unset; -1 with a
 * line on standard error when the value is none of them. */
int starpu_getenv_string_var_default(const char* str, const char* strings[], int defvalue);
/* A size with an optional suffix b, k, m, g or t (1024s), in bytes. */
int starpu_getenv_size_default(const char* str, int defval);
/* A number not below 0; -1 when unset. Anything else aborts with a line. */
int starpu_getenv_number(const char* str);
int starpu_getenv_number_default(const char* str, int defval);
float starpu_getenv_float_default(const char* str, float defval);
/* The names of 1.3. */
#define starpu_get_env_string_var_default starpu_getenv_string_var_default
#define starpu_get_env_size_default starpu_getenv_size_default
#define starpu_get_env_number starpu_getenv_number
#define starpu_get_env_number_default starpu_getenv_number_default
#define starpu_get_env_float_default starpu_getenv_float_default

/* Microseconds of a monotonic clock. */
double starpu_timing_now(void);

/* Runs func(arg) once on every worker of the kinds in `where`, and returns when all have run it.
 * Not from a task or a callback. */
void starpu_execute_on_each_worker(void (*func)(void*), void* arg, uint32_t where);
void starpu_execute_on_each_worker_ex(void (*func)(void*), void* arg, uint32_t where,
                                      const char* name);
void starpu_execute_on_specific_workers(void (*func)(void*), void* arg, unsigned num_workers,
                                        unsigned* workers, const char* name);

/* Copies one handle's content into another of the same interface and size, by a task; `callback`
 * runs when it is done, at the latest before return when not asynchronous. */
int starpu_data_cpy(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle,
                    int asynchronous, void (*callback_func)(void*), void* callback_arg);
/* The same by a task of that priority. */
int starpu_data_cpy_priority(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle,
                             int asynchronous, void (*callback_func)(void*), void* callback_arg,
                             int priority);

/* Makes *dst_handle and copies into it, by a task; to be read only. Until a task is submitted that
 * writes to the data, all who ask get the same handle, and who asks for one of a duplicate gets
 * that duplicate; each of them unregisters it as others. 0 or the error of starpu_data_cpy(). */
int starpu_data_dup_ro(starpu_data_handle_t* dst_handle, starpu_data_handle_t src_handle,
                       int asynchronous);

void starpu_display_bindings(void);
/* Binds the calling thread: where a worker is, anywhere (the main thread's place), on a unit. */
void starpu_bind_thread_on_worker(unsigned workerid);
void starpu_bind_thread_on_main(void);
void starpu_bind_thread_on_cpu(int cpuid);
/* The operating system's number of a processing unit, and hwloc's view of the machine. */
int starpu_get_pu_os_index(unsigned logical_index);
hwloc_topology_t starpu_get_hwloc_topology(void);
/* Of NUMA nodes where the memory is: all memory is one node here, 0. -1 for NULL. */
long starpu_get_memory_location_bitmap(void* ptr, size_t size);

#ifdef __cplusplus
}
#endif

#endif
