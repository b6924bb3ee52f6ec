/* SPDX-License-Identifier: Apache-2.0
 * Profiling: when a task was submitted, started and ended, while profiling is on. */
#ifndef __STARPU_PROFILING_H__
#define __STARPU_PROFILING_H__

#include <errno.h>
#include <starpu_config.h>
#include <starpu_util.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_PROFILING_DISABLE 0
#define STARPU_PROFILING_ENABLE 1

/* In task->profiling_info when a task ends, if profiling was on when it was submitted; freed with
 * the task. Times are of CLOCK_MONOTONIC, in the order of the fields but for the callback, which
 * may begin before the worker has released the data. What did not happen is 0: there are no
 * counters of cycles or energy. */
struct starpu_profiling_task_info {
  struct timespec submit_time;
  struct timespec push_start_time;
  struct timespec push_end_time;
  struct timespec pop_start_time;
  struct timespec pop_end_time;
  struct timespec acquire_data_start_time;
  struct timespec acquire_data_end_time;
  struct timespec start_time;
  struct timespec end_time;
  struct timespec release_data_start_time;
  struct timespec release_data_end_time;
  struct timespec callback_start_time;
  struct timespec callback_end_time;
  int workerid;
  uint64_t used_cycles;
  uint64_t stall_cycles;
  double energy_consumed;
  /* With STARPU_PROF_PAPI_EVENTS, of tasks on CPUs: a value for each event that can be counted, in
   * its order, and PAPI's number of what counts them. NULL: nothing was counted. */
  long long* papi_values;
  int papi_event_set;
};

/* What a worker did in an interval. The five times and what is left, the runtime's own overhead,
 * add up to total_time. The all_ times are each for itself: a callback inside a task counts as
 * executing and as callback there; a search without success as sleeping and as scheduling. */
struct starpu_profiling_worker_info {
  struct timespec start_time;
  struct timespec total_time;
  struct timespec executing_time;
  struct timespec callback_time;
  struct timespec waiting_time;
  struct timespec sleeping_time;
  struct timespec scheduling_time;
  struct timespec all_executing_time;
  struct timespec all_callback_time;
  struct timespec all_waiting_time;
  struct timespec all_sleeping_time;
  struct timespec all_scheduling_time;
  int executed_tasks;
  uint64_t used_cycles;
  uint64_t stall_cycles;
  double energy_consumed;
  double flops;
};

struct starpu_profiling_bus_info {
  struct timespec start_time;
  struct timespec total_time;
  long long transferred_bytes;
  int transfer_count;
};

/* Reads STARPU_PROFILING again. */
void starpu_profiling_init(void);
/* The number at the end of the trace file's name; call it before starpu_init(). */
void starpu_profiling_set_id(int new_id);
/* Returns the status before. */
int starpu_profiling_status_set(int status);
int starpu_profiling_status_get(void);
/* What the worker did since the last call, or since profiling began; 0 or -EINVAL. `info` may be
 * NULL. */
int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info* info);

/* There is a bus for each ordered pair of memory nodes (the main memory and disks). -1 or -EINVAL
 * where there is none. What it carried is counted whether profiling is on or not, since the disk
 * was registered or the information was last read. */
int starpu_bus_get_count(void);
int starpu_bus_get_id(int src, int dst);
int starpu_bus_get_src(int busid);
int starpu_bus_get_dst(int busid);
int starpu_bus_set_direct(int busid, int direct);
int starpu_bus_get_direct(int busid);
int starpu_bus_set_ngpus(int busid, int ngpus);
int starpu_bus_get_ngpus(int busid);
int starpu_bus_get_profiling_info(int busid, struct starpu_profiling_bus_info* bus_info);

/* What starpu_shutdown() prints with STARPU_WORKER_STATS=1 (of what workers did since profiling
 * began or was last read) and with STARPU_BUS_STATS=1: to the file that STARPU_WORKER_STATS_FILE or
 * STARPU_BUS_STATS_FILE names, else to standard error. Without the variable, nothing. */
void starpu_profiling_worker_helper_display_summary(void);
void starpu_profiling_bus_helper_display_summary(void);
/* With STARPU_MEMORY_STATS=1, the pieces of data that are registered and how they were used; to
 * standard error. starpu_shutdown() prints what is still registered. */
void starpu_data_display_memory_stats(void);

static __starpu_inline void starpu_timespec_clear(struct timespec* tsp) {
  tsp->tv_sec = 0;
  tsp->tv_nsec = 0;
}
#define STARPU_NS_PER_S 1000000000
static __starpu_inline void starpu_timespec_add(struct timespec* a, struct timespec* b,
                                                struct timespec* result) {
  result->tv_sec = a->tv_sec + b->tv_sec;
  result->tv_nsec = a->tv_nsec + b->tv_nsec;
  if (result->tv_nsec >= STARPU_NS_PER_S) {
    result->tv_sec++;
    result->tv_nsec -= STARPU_NS_PER_S;
  }
}
static __starpu_inline void starpu_timespec_accumulate(struct timespec* result,
                                                       struct timespec* a) {
  starpu_timespec_add(result, a, result);
}
static __starpu_inline void starpu_timespec_sub(const struct timespec* a, const struct timespec* b,
                                                struct timespec* result) {
  result->tv_sec = a->tv_sec - b->tv_sec;
  result->tv_nsec = a->tv_nsec - b->tv_nsec;
  if (result->tv_nsec < 0) {
    result->tv_sec--;
    result->tv_nsec += STARPU_NS_PER_S;
  }
}
#define starpu_timespec_cmp(a, b, CMP) \
  (((a)->tv_sec == (b)->tv_sec) ? ((a)->tv_nsec CMP(b)->tv_nsec) : ((a)->tv_sec CMP(b)->tv_sec))
double starpu_timing_timespec_delay_us(struct timespec* start, struct timespec* end);
double starpu_timing_timespec_to_us(struct timespec* ts);

#ifdef __cplusplus
}
#endif

#endif
