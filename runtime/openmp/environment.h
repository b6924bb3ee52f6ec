// SPDX-License-Identifier: Apache-2.0
// The settings of the OMP_* environment variables. An invalid value causes one warning.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <vector>

namespace tasklens::runtime::openmp {

struct Environment {
  // By level of nesting, outermost first; never empty.
  std::vector<int> num_threads;
  std::vector<starpu_omp_proc_bind_value> proc_bind{starpu_omp_proc_bind_false};
  bool dynamic = false;
  bool cancellation = false;
  starpu_omp_sched_value schedule = starpu_omp_sched_static;
  int schedule_chunk = 0;  // 0: the default of the kind
  int thread_limit = 0;
  int max_active_levels = 1;
  int default_device = 0;
  int max_task_priority = -1;  // -1: not set, any priority counts
  size_t stack_bytes = 0;

  // Reads the environment. `cpus`: the number of CPU workers, the default for numbers of threads.
  // Warns of variables that are set but have no effect, and prints what OMP_DISPLAY_ENV asks for.
  static Environment Read(int cpus);
};

// "static", "dynamic,4"
const char* NameOf(starpu_omp_sched_value kind);

}  // namespace tasklens::runtime::openmp
