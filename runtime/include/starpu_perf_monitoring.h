/* SPDX-License-Identifier: Apache-2.0
 * Performance counters: how many tasks, and how long, while the program runs.
 *
 * A counter belongs to a scope: the whole runtime, a worker, or a codelet. Counters move while they
 * are collected: from starpu_init() with starpu_conf.start_perf_counter_collection, or between
 * collection_start() and collection_stop(). A listener is called with a sample of the counters of
 * its set: the global one when a task is submitted and when the program waits, those of a worker
 * when it has run a task, those of a codelet at both. It is called by the thread that does so,
 * under a lock: it must not submit tasks or change listeners.
 *
 *   set = set_alloc(scope); set_enable_id(set, id); listener = listener_init(set, callback, arg);
 *   set_global_listener(listener); ... unset_global_listener(); listener_exit(listener);
 *   set_free(set);
 *
 * Names and ids that are not there are -1 (NULL); a value asked for as another type than its
 * counter has, or that the sample's set has not enabled, aborts with a line. */
#ifndef __STARPU_PERF_MONITORING_H__
#define __STARPU_PERF_MONITORING_H__

#include <starpu_task.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum starpu_perf_counter_scope {
  starpu_perf_counter_scope_undefined = 0,
  starpu_perf_counter_scope_global = 2,
  starpu_perf_counter_scope_per_worker = 4,
  starpu_perf_counter_scope_per_codelet = 6
};
enum starpu_perf_counter_type {
  starpu_perf_counter_type_undefined = 0,
  starpu_perf_counter_type_int32 = 1,
  starpu_perf_counter_type_int64 = 2,
  starpu_perf_counter_type_float = 3,
  starpu_perf_counter_type_double = 4
};

struct starpu_perf_counter_set;
struct starpu_perf_counter_listener;
struct starpu_perf_counter_sample;

/* They nest. */
void starpu_perf_counter_collection_start(void);
void starpu_perf_counter_collection_stop(void);

/* "global", "per_worker", "per_codelet"; "int32", "int64", "float", "double". */
int starpu_perf_counter_scope_name_to_id(const char* name);
const char* starpu_perf_counter_scope_id_to_name(enum starpu_perf_counter_scope scope);
int starpu_perf_counter_type_name_to_id(const char* name);
const char* starpu_perf_counter_type_id_to_name(enum starpu_perf_counter_type type);

/* How many a scope has, and which. */
int starpu_perf_counter_nb(enum starpu_perf_counter_scope scope);
int starpu_perf_counter_name_to_id(enum starpu_perf_counter_scope scope, const char* name);
int starpu_perf_counter_nth_to_id(enum starpu_perf_counter_scope scope, int nth);
const char* starpu_perf_counter_id_to_name(int id);
int starpu_perf_counter_get_type_id(int id);
const char* starpu_perf_counter_get_help_string(int id);
/* A line for each counter of a scope, or of all, on standard output. */
void starpu_perf_counter_list_avail(enum starpu_perf_counter_scope scope);
void starpu_perf_counter_list_all_avail(void);

struct starpu_perf_counter_set* starpu_perf_counter_set_alloc(enum starpu_perf_counter_scope scope);
void starpu_perf_counter_set_free(struct starpu_perf_counter_set* set);
void starpu_perf_counter_set_enable_id(struct starpu_perf_counter_set* set, int id);
void starpu_perf_counter_set_disable_id(struct starpu_perf_counter_set* set, int id);

struct starpu_perf_counter_listener* starpu_perf_counter_listener_init(
    struct starpu_perf_counter_set* set,
    void (*callback)(struct starpu_perf_counter_listener* listener,
                     struct starpu_perf_counter_sample* sample, void* context),
    void* user_arg);
void starpu_perf_counter_listener_exit(struct starpu_perf_counter_listener* listener);

/* One listener for each place; the listener's set must be of that scope. */
void starpu_perf_counter_set_global_listener(struct starpu_perf_counter_listener* listener);
void starpu_perf_counter_set_per_worker_listener(unsigned workerid,
                                                 struct starpu_perf_counter_listener* listener);
void starpu_perf_counter_set_all_per_worker_listeners(
    struct starpu_perf_counter_listener* listener);
void starpu_perf_counter_set_per_codelet_listener(struct starpu_codelet* cl,
                                                  struct starpu_perf_counter_listener* listener);
/* When it returns, the listener is not being called and will not be. */
void starpu_perf_counter_unset_global_listener(void);
void starpu_perf_counter_unset_per_worker_listener(unsigned workerid);
void starpu_perf_counter_unset_all_per_worker_listeners(void);
void starpu_perf_counter_unset_per_codelet_listener(struct starpu_codelet* cl);

/* Inside of the listener only. */
int32_t starpu_perf_counter_sample_get_int32_value(struct starpu_perf_counter_sample* sample,
                                                   const int counter_id);
int64_t starpu_perf_counter_sample_get_int64_value(struct starpu_perf_counter_sample* sample,
                                                   const int counter_id);
float starpu_perf_counter_sample_get_float_value(struct starpu_perf_counter_sample* sample,
                                                 const int counter_id);
double starpu_perf_counter_sample_get_double_value(struct starpu_perf_counter_sample* sample,
                                                   const int counter_id);

#ifdef __cplusplus
}
#endif

#endif
