// SPDX-License-Identifier: Apache-2.0
// OpenMP's internal control variables (ICVs): each task has its own, and tasks that it creates
// inherit them.
#pragma once

#include <starpu.h>

#include <vector>

#include "runtime/openmp/environment.h"

namespace tasklens::runtime::openmp {

// A variable with a value for each level of nesting.
template <class T>
struct Levels {
  T value;                       // for regions that this task creates
  const std::vector<T>* listed;  // the list in the OMP_... variable; never freed
  size_t at = 0;                 // index in `listed`

  // The ICV of the tasks of a region that this task creates.
  Levels Inner() const {
    if (at + 1 >= listed->size()) return *this;
    return {(*listed)[at + 1], listed, at + 1};
  }
};

struct Icvs {
  explicit Icvs(const Environment& environment)
      : num_threads{environment.num_threads.front(), &environment.num_threads},
        proc_bind{environment.proc_bind.front(), &environment.proc_bind},
        dynamic(environment.dynamic),
        schedule(environment.schedule),
        schedule_chunk(environment.schedule_chunk),
        thread_limit(environment.thread_limit),
        max_active_levels(environment.max_active_levels),
        default_device(environment.default_device) {}

  Levels<int> num_threads;
  Levels<starpu_omp_proc_bind_value> proc_bind;
  bool dynamic;
  starpu_omp_sched_value schedule;
  int schedule_chunk;  // 0: the default of the kind
  int thread_limit;
  int max_active_levels;
  int default_device;
};

}  // namespace tasklens::runtime::openmp
