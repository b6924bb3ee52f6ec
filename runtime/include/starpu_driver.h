/* SPDX-License-Identifier: Apache-2.0
 * Workers run by threads of the program's own: those in not_launched_drivers of the starpu_conf. */
#ifndef __STARPU_DRIVER_H__
#define __STARPU_DRIVER_H__

#include <starpu_config.h>
#include <starpu_worker.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_driver {
  enum starpu_worker_archtype type;
  union {
    unsigned cpu_id;
    unsigned cuda_id;
    unsigned hip_id;
    void* opencl_id;
  } id;
};

/* The calling thread is the worker from init to deinit; run_once executes one task if there is one,
 * and never waits. All return 0, or -EINVAL for a driver that is not one of not_launched_drivers
 * (a line says so). */
int starpu_driver_init(struct starpu_driver* d);
int starpu_driver_run_once(struct starpu_driver* d);
int starpu_driver_deinit(struct starpu_driver* d);
/* All of it: until starpu_drivers_request_termination(). */
int starpu_driver_run(struct starpu_driver* d);
void starpu_drivers_request_termination(void);

#ifdef __cplusplus
}
#endif

#endif
