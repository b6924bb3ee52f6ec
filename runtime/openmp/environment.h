// SPDX-License-Identifier: Apache-2.0
// What the variables OMP_* ask for, each with one line of complaint when it makes no sense.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <vector>

namespace tasklens::runtime::openmp {

struct Environment {
  // Of each level of nesting, outermost first; never empty.
  std::vector<int> num_threads;
  std::vector<starpu_omp_proc_bind_value> proc_bind{starpu_omp_proc_bind_false};
  bool dynamic = false;
  bool cancellation = false;
  starpu_omp_sched_value schedule = starpu_omp_sched_static;
  int schedule_chunk = 0;  // 0: the kind's own
  int thread_limit = 0;
  int max_active_levels = 1;
  int default_device = 0;
  int max_task_priority = -1;  // -1: not set, any priority counts
  size_t stack_bytes = 0;

  // `cpus`: CPU workers, which are the defaults of what counts threads. With a line that names
  // those variables that are set and change nothing here, and what OMP_DISPLAY_ENV asks for.
  static Environment Read(int cpus);
};

// "static", "dynamic,4"
const char* NameOf(starpu_omp_sched_value kind);

}  // namespace tasklens::runtime::openmp
