// SPDX-License-Identifier: Apache-2.0
// starpu_parallel_worker_*(): groups of CPU workers by the machine's topology. Each group is a
// context without a policy, nested in one context with a policy.
#pragma once

#include <hwloc.h>
#include <starpu.h>

#include <cstdarg>
#include <memory>
#include <vector>

namespace tasklens::runtime {

class Runtime;

// The groups and the context around them, which becomes the context of the thread that creates
// them.
struct ParallelWorkers {
  // `args` are those of starpu_parallel_worker_init(). Returns nullptr (with a warning) if they are
  // invalid, the machine has no such level, or a context could not be made.
  static std::unique_ptr<ParallelWorkers> Create(Runtime& runtime, hwloc_obj_type_t level,
                                                 va_list args);
  // Waits for the tasks and deletes the contexts.
  ~ParallelWorkers();
  ParallelWorkers() = default;
  ParallelWorkers(const ParallelWorkers&) = delete;
  ParallelWorkers& operator=(const ParallelWorkers&) = delete;

  // Prints the workers of each group to standard output.
  void Print(Runtime& runtime) const;

  unsigned around = STARPU_NMAX_SCHED_CTXS;
  struct Group {
    unsigned context;
    std::vector<int> workers;
  };
  std::vector<Group> groups;
};

// Makes the program's OpenMP library use as many threads as the group has workers, each bound to
// the processing unit of one worker. Called by the first worker of the group within a parallel
// task.
void GiveOpenMpItsThreads(void*);

}  // namespace tasklens::runtime
