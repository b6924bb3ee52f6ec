// SPDX-License-Identifier: Apache-2.0
// Locality of the policy heteroprio: which group of workers gets a task, and which groups' tasks a
// worker searches (include/schedulers/starpu_heteroprio.h). A group is the workers of a memory
// node. Threads: guarded by the policy's lock, except for NeedsOf().
#pragma once

#include <starpu.h>

#include <array>
#include <unordered_map>
#include <vector>

#include "runtime/jobs/job.h"
#include "runtime/sched/host.h"

namespace tasklens::runtime {

class Locality {
 public:
  explicit Locality(const Host& host);

  // The data of a task that a group's memory lacks.
  struct Missing {
    double read_bytes = 0, written_bytes = 0, time_us = 0;
    int pieces = 0;
  };
  using Needs = std::array<Missing, STARPU_MAXNODES>;  // by group
  // Calls methods of the program's interfaces: REQUIRES no lock.
  Needs NeedsOf(const starpu_task& task) const;
  // Returns the group that suits the job best. `from`: the group of the worker on which the job
  // became ready, or -1. REQUIRES: there are groups.
  unsigned Choose(Job* job, const Needs& needs, const std::vector<unsigned>& groups, int from);
  // Called when a worker of that group has taken the job: adapts the choice of the strategy.
  void Taken(Job* job, unsigned group);

  // The job is no longer assigned to a group.
  void Forget(const Job* job) { choices_.erase(job); }

  // One step of a worker's search: the tasks of one rank of its kind (0 is the first), for one
  // group.
  struct Look {
    size_t rank;
    unsigned group;
  };
  std::vector<Look> OrderOfLooks(starpu_worker_archtype kind, unsigned own, size_t ranks,
                                 const std::vector<unsigned>& groups) const;

 private:
  // kAuto chooses among the strategies before it.
  enum Strategy { kBytes, kSquaredWrites, kHeavyWrites, kBalancedWrites, kAuto, kTime, kWorker };
  static Strategy FromEnvironment();

  const Host& host_;
  Strategy strategy_;
  std::array<uint64_t, kAuto> right_{};  // how often the strategy chose the group that took the job
  std::unordered_map<const Job*, std::array<unsigned, kAuto>>
      choices_;  // the choices for waiting jobs
};

}  // namespace tasklens::runtime
