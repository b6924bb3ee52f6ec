// SPDX-License-Identifier: Apache-2.0
/* All that a program includes, where the compiler takes no more than C99. */
#include <schedulers/starpu_scheduler_toolbox.h>
#include <starpu.h>
#include <starpu_bound.h>
#include <starpu_fxt.h>
#include <starpu_hip.h>
#include <starpu_max_fpga.h>
#include <starpu_opencl.h>
#include <starpu_perf_monitoring.h>
#include <starpu_perf_steering.h>
#include <starpu_profiling_tool.h>
#include <starpu_sched_component.h>
#include <starpu_scheduler.h>
#include <starpu_simgrid_wrap.h>

int main(void) { return 0; }
