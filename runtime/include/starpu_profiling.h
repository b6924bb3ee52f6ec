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
 * the task. Times are of CLOCK_MONOTONIC. */
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
};

struct starpu_profiling_worker_info {
  struct timespec start_time;
  struct timespec total_time;
  struct timespec executing_time;
  struct timespec callback_time;
  struct timespec waiting_time;
  struct timespec sleeping_time;
  struct timespec scheduling_time;
  int executed_tasks;
  uint64_t used_cycles;
  uint64_t stall_cycles;
  double energy_consumed;
  double flops;
};

/* Reads STARPU_PROFILING again. */
void starpu_profiling_init(void);
/* The number at the end of the trace file's name; call it before starpu_init(). */
void starpu_profiling_set_id(int new_id);
/* Returns the status before. */
int starpu_profiling_status_set(int status);
int starpu_profiling_status_get(void);
/* What the worker did since the last call, or since profiling began; 0 or -EINVAL. `info` may be
 * NULL. Only executing, sleeping, total time, tasks and flops are filled. */
int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info* info);

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
