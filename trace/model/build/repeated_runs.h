// SPDX-License-Identifier: Apache-2.0
// Tasks of which something happens more than once: a parallel task is given to, taken and started
// by each of its workers; a task that a program submits again and again runs as often. Starts
// between which the task never was without a worker are of one run, and what is given to the
// scheduler while it waits there is not one more task. A task's row tells its last run, and
// `executions` what each worker did of each.
//
// Times are local to the task's rank, in any order. Memory in proportion to the events of such
// tasks. Threads: one at a time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens::build {

class RepeatedRuns {
 public:
  // In this order at one time. kEndAtOnce: of what a worker began at that time.
  enum class What : uint8_t { kEnd, kSubmitted, kReady, kTaken, kStart, kEndAtOnce };

  // Notes what happens to `task` if it is, or with this becomes, one of these tasks. To be called
  // before `tasks` is told. `before_ns`: when that happened to it before, as `tasks` has it (asking
  // a packed column twice for each event shows). `worker` is of a start or an end: a function that
  // tells it, as most need not be asked; `order` of a submission.
  template <class Worker>
  void Note(const TaskTable& tasks, uint32_t task, What what, int64_t before_ns, int64_t time_ns,
            Worker worker, uint64_t order = 0) {
    if (before_ns == kNever && (known_.empty() || !known_.contains(task))) return;
    Add(tasks, task, {task, worker(), time_ns, order, what});
  }
  void Note(const TaskTable& tasks, uint32_t task, What what, int64_t before_ns, int64_t time_ns) {
    Note(tasks, task, what, before_ns, time_ns, [] { return kNone; });
  }

  // Counts what may have data of its own: changes with each submission and each run of `task` from
  // the second on; 0 before.
  uint32_t RunOf(uint32_t task) const {
    if (known_.empty()) return 0;
    const auto it = known_.find(task);
    return it == known_.end() ? 0 : it->second.run;
  }

  // An event that was counted and should not have been.
  struct Surplus {
    uint32_t rank_index;
    int64_t time_ns;
    What what;  // kReady or kTaken
  };

  // Sets submission, ready, pop, start, worker, last start and last worker of these tasks, see
  // TaskTable, and fills `executions`, where workers are numbered as in Note().
  std::vector<Surplus> Finish(TaskTable& tasks, ExecutionTable& executions) &&;

 private:
  struct Change {
    uint32_t task, worker;
    int64_t time_ns;
    uint64_t order;
    What what;
  };

  struct Known {
    uint32_t run = 0;
    uint32_t open = 0;  // workers that started and did not end
    // Those of them that started when the last one did.
    int64_t latest_ns = kNever;
    std::vector<uint32_t> latest;
  };

  class History;

  void Add(const TaskTable& tasks, uint32_t task, Change change);

  std::unordered_map<uint32_t, Known> known_;
  std::vector<Change> changes_;
};

}  // namespace tasklens::build
