/* SPDX-License-Identifier: Apache-2.0
 * TaskLens's task runtime, source compatible with StarPU: start and stop, and all other headers. */
#ifndef __STARPU_H__
#define __STARPU_H__

#include <starpu_bound.h>
#include <starpu_config.h>
#include <starpu_cublas.h>
#include <starpu_cublasLt.h>
#include <starpu_cuda.h>
#include <starpu_cusolver.h>
#include <starpu_cusparse.h>
#include <starpu_data.h>
#include <starpu_data_filters.h>
#include <starpu_data_interfaces.h>
#include <starpu_disk.h>
#include <starpu_driver.h>
#include <starpu_expert.h>
#include <starpu_fxt.h>
#include <starpu_hash.h>
#include <starpu_helper.h>
#include <starpu_hipblas.h>
#include <starpu_openmp.h>
#include <starpu_parallel_worker.h>
#include <starpu_perf_monitoring.h>
#include <starpu_perf_steering.h>
#include <starpu_perfmodel.h>
#include <starpu_profiling.h>
#include <starpu_rand.h>
#include <starpu_sched_ctx.h>
#include <starpu_sched_ctx_hypervisor.h>
#include <starpu_scheduler.h>
#include <starpu_stdlib.h>
#include <starpu_task.h>
#include <starpu_task_bundle.h>
#include <starpu_task_dep.h>
#include <starpu_task_list.h>
#include <starpu_task_util.h>
#include <starpu_thread.h>
#include <starpu_thread_util.h>
#include <starpu_util.h>
#include <starpu_worker.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to start. starpu_conf_init() sets every default; environment variables win over the fields
 * unless precedence_over_environment_variables is set. */
struct starpu_conf {
  int magic;
  int will_use_mpi;
  const char* sched_policy_name;            /* STARPU_SCHED; NULL: lws */
  struct starpu_sched_policy* sched_policy; /* one of the program's own, or a predefined one */
  __extension__ union { /* called by policies that have something to be told, such as heteroprio;
                           two names */
    void (*sched_policy_callback)(unsigned sched_ctx_id);
    void (*sched_policy_init)(unsigned sched_ctx_id); /* of StarPU 1.3 */
  };
  int precedence_over_environment_variables;
  int ncpus;         /* STARPU_NCPU; -1: all */
  int reserve_ncpus; /* STARPU_RESERVE_NCPU */
  int ncuda;         /* STARPU_NCUDA; -1: all, real or simulated */
  int nhip;          /* -1 or 0: there are none, as of all down to ntcpip_sc */
  int nopencl;
  int nmic; /* of StarPU 1.3 */
  int nmax_fpga;
  int nmpi_ms;
  int ntcpip_ms;
  int nmpi_sc; /* the last two under the names of StarPU's master */
  int ntcpip_sc;
  unsigned use_explicit_workers_bindid; /* STARPU_WORKERS_CPUID */
  unsigned workers_bindid[STARPU_NMAXWORKERS];
  unsigned use_explicit_workers_cuda_gpuid;
  unsigned workers_cuda_gpuid[STARPU_NMAXWORKERS];
  unsigned use_explicit_workers_hip_gpuid; /* of devices that are not there, as all below it */
  unsigned workers_hip_gpuid[STARPU_NMAXWORKERS];
  unsigned use_explicit_workers_opencl_gpuid;
  unsigned workers_opencl_gpuid[STARPU_NMAXWORKERS];
  unsigned use_explicit_workers_max_fpga_deviceid;
  unsigned workers_max_fpga_deviceid[STARPU_NMAXWORKERS];
  void* max_fpga_load;
  unsigned use_explicit_workers_mpi_ms_deviceid;
  unsigned workers_mpi_ms_deviceid[STARPU_NMAXWORKERS];
  int bus_calibrate;
  int calibrate;
  int data_locality_enforce; /* of no effect, as the rest down to enable_map */
  int single_combined_worker;
  int disable_asynchronous_copy;
  int disable_asynchronous_cuda_copy;
  int disable_asynchronous_hip_copy;
  int disable_asynchronous_opencl_copy;
  int disable_asynchronous_mpi_ms_copy;
  int disable_asynchronous_tcpip_ms_copy;
  int disable_asynchronous_max_fpga_copy;
  int enable_map;
  unsigned* cuda_opengl_interoperability;
  unsigned n_cuda_opengl_interoperability;
  /* Workers that no thread is made for: the program runs them with starpu_driver_run() or
   * starpu_driver_run_once(). Read while starpu_init() runs. */
  struct starpu_driver* not_launched_drivers;
  unsigned n_not_launched_drivers;
  uint64_t trace_buffer_size;
  int global_sched_ctx_min_priority;
  int global_sched_ctx_max_priority;
  int catch_signals;
  unsigned start_perf_counter_collection; /* starpu_perf_monitoring.h */
  unsigned driver_spinning_backoff_min;
  unsigned driver_spinning_backoff_max;
  int cuda_only_fast_alloc_other_memnodes; /* of no effect */
  /* Called by a worker that falls asleep, and when it is awake again. */
  void (*callback_worker_going_to_sleep)(unsigned workerid);
  void (*callback_worker_waking_up)(unsigned workerid);
};

/* 0, or -EINVAL for NULL. */
int starpu_conf_init(struct starpu_conf* conf);
/* No CPU and no device worker. */
int starpu_conf_noworker(struct starpu_conf* conf);

/* Starts the workers. `conf` may be NULL. 0; -ENODEV without workers; -EINVAL for a conf that
 * starpu_conf_init() has not seen or an unknown policy; -ENOSYS for what is not there. May be
 * called again; each call needs its starpu_shutdown(). */
int starpu_init(struct starpu_conf* conf) STARPU_WARN_UNUSED_RESULT;
int starpu_initialize(struct starpu_conf* user_conf, int* argc, char*** argv);
int starpu_is_initialized(void);
void starpu_wait_initialized(void);
/* Waits for all tasks, stops the workers, finishes the trace. */
void starpu_shutdown(void);
/* Workers finish the task that they run, and neither take nor start another one from the return of
 * starpu_pause() until starpu_resume(). They nest. */
void starpu_pause(void);
void starpu_resume(void);
int starpu_is_paused(void);

/* Processing units for threads of the program's own. ACTIVE: a unit that no worker and no other
 * such thread has, when there is one left; otherwise one that is shared. `preferred` is tried
 * first. */
#define STARPU_THREAD_ACTIVE (1 << 0)
unsigned starpu_get_next_bindid(unsigned flags, unsigned* preferred, unsigned npreferred);
/* Binds the calling thread; 0, or -1 when the system refuses. */
int starpu_bind_thread_on(int cpuid, unsigned flags, const char* name);

void starpu_topology_print(FILE* f);
int starpu_asynchronous_copy_disabled(void);
int starpu_asynchronous_cuda_copy_disabled(void);
int starpu_asynchronous_opencl_copy_disabled(void);
int starpu_asynchronous_mic_copy_disabled(void);
int starpu_asynchronous_mpi_ms_copy_disabled(void);
void starpu_display_stats(void);
void starpu_get_version(int* major, int* minor, int* release);

#ifdef __cplusplus
}
#endif

#include <starpu_call_sites.h> /* last, as it hides declarations behind macros */
#include <starpu_deprecated_api.h>

#endif
