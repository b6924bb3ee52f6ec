// SPDX-License-Identifier: Apache-2.0
// Tasks of which something happens more than once: a parallel task is given to, taken and started
// by each of its workers; a task that a program submits again and again runs as often. Starts
// between which the task never was without a worker are of one run, and what is given to the
// scheduler while it waits there is not one more task. The model tells the last run of a task.
//
// Times are local to the task's rank, in any order. Memory in proportion to the events of such
// tasks. Threads: one at a time.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens::build {

class RepeatedRuns {
 public:
  enum class What : uint8_t { kEnd, kReady, kTaken, kStart };  // in this order at one time

  // Notes what happens to `task` if it is, or with this becomes, one of these tasks. To be called
  // before `tasks` is told. `before_ns`: when that happened to it before, as `tasks` has it (asking
  // a packed column twice for each event shows). `worker` is of a start.
  void Note(const TaskTable& tasks, uint32_t task, What what, int64_t before_ns, int64_t time_ns,
            uint32_t worker = kNone) {
    if (before_ns == kNever && (known_.empty() || !known_.contains(task))) return;
    Add(tasks, task, {task, worker, time_ns, what});
  }

  // An event that was counted and should not have been.
  struct Surplus {
    uint32_t rank_index;
    int64_t time_ns;
    What what;  // kReady or kTaken
  };

  // Sets ready, pop, start, worker, last start and last worker of these tasks, see TaskTable.
  std::vector<Surplus> Finish(TaskTable& tasks) &&;

 private:
  struct Change {
    uint32_t task, worker;
    int64_t time_ns;
    What what;
  };

  void Add(const TaskTable& tasks, uint32_t task, const Change& change);

  std::unordered_set<uint32_t> known_;
  std::vector<Change> changes_;
};

}  // namespace tasklens::build
