// SPDX-License-Identifier: Apache-2.0
// Locality of the policy heteroprio: which group of workers a task is for, and which groups' tasks
// a worker looks at (include/schedulers/starpu_heteroprio.h). A group is a memory node. Not locked.
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

  // What would have to be brought to a group's memory.
  struct Missing {
    double read_bytes = 0, written_bytes = 0, time_us = 0;
    int pieces = 0;
  };
  using Needs = std::array<Missing, STARPU_MAXNODES>;  // by group
  // Asks interfaces of the program's, so that nothing may be locked.
  Needs NeedsOf(const starpu_task& task) const;
  // The one of these groups that suits the job. `from`: that of the worker on which it became
  // ready, or -1. REQUIRES: there are groups.
  unsigned Choose(Job* job, const Needs& needs, const std::vector<unsigned>& groups, int from);
  // A worker of that group has taken the job: what is chosen by follows.
  void Taken(Job* job, unsigned group);

  // The job is no longer for a group.
  void Forget(const Job* job) { choices_.erase(job); }

  // A worker looks at the tasks of one of its kind's priorities, 0 being the first, for a group.
  struct Look {
    size_t rank;
    unsigned group;
  };
  std::vector<Look> OrderOfLooks(starpu_worker_archtype kind, unsigned own, size_t ranks,
                                 const std::vector<unsigned>& groups) const;

 private:
  // Those before kAuto are what it chooses from.
  enum Strategy { kBytes, kSquaredWrites, kHeavyWrites, kBalancedWrites, kAuto, kTime, kWorker };
  static Strategy FromEnvironment();

  const Host& host_;
  Strategy strategy_;
  std::array<uint64_t, kAuto> right_{};  // how often the strategy chose whoever came
  std::unordered_map<const Job*, std::array<unsigned, kAuto>> choices_;  // of jobs that wait
};

}  // namespace tasklens::runtime
