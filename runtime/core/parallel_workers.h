// SPDX-License-Identifier: Apache-2.0
// starpu_parallel_worker_*(): groups of CPU workers by the machine's shape, each a context without
// a policy that is nested in one with a policy.
#pragma once

#include <hwloc.h>
#include <starpu.h>

#include <cstdarg>
#include <memory>
#include <vector>

namespace tasklens::runtime {

class Runtime;

// The groups that are there, and the context around them, which the thread that made them is in.
struct ParallelWorkers {
  // `args` are those of starpu_parallel_worker_init(). nullptr, with a line, where they cannot be
  // read, the machine has no such level, or a context was not made.
  static std::unique_ptr<ParallelWorkers> Create(Runtime& runtime, hwloc_obj_type_t level,
                                                 va_list args);
  // Waits for the tasks, and deletes the contexts.
  ~ParallelWorkers();
  ParallelWorkers() = default;
  ParallelWorkers(const ParallelWorkers&) = delete;
  ParallelWorkers& operator=(const ParallelWorkers&) = delete;

  // The workers of each group, to standard output.
  void Print(Runtime& runtime) const;

  unsigned around = STARPU_NMAX_SCHED_CTXS;
  struct Group {
    unsigned context;
    std::vector<int> workers;
  };
  std::vector<Group> groups;
};

// By the first worker of a group, within a parallel task: the OpenMP that the program has uses as
// many threads as the group has workers, each on the processing unit of one.
void GiveOpenMpItsThreads(void*);

}  // namespace tasklens::runtime
