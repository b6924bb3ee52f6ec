// SPDX-License-Identifier: Apache-2.0
// Tasks that run on several workers or several times: a parallel task is pushed, popped and started
// by each of its workers; a task that a program submits again runs again. Starts belong to one run
// if the task had a running worker all the time between them. A push of a task that already waits
// in the scheduler does not count as one more task. The task's row describes its last run;
// `executions` has every execution of every run.
//
// Times are local to the task's rank, in any order. Memory is proportional to the events of such
// tasks. Threads: one at a time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens::build {

class RepeatedRuns {
 public:
  // Sorted in this order at equal times. kEndAtOnce: the end of an execution that began at the same
  // time.
  enum class What : uint8_t { kEnd, kSubmitted, kReady, kTaken, kStart, kEndAtOnce };

  // Records an event of `task` if it is one of these tasks, or becomes one by this event. Call
  // before the event changes `tasks`. `before_ns`: the time of the previous event of this kind,
  // from `tasks` (passed in because reading a packed column twice per event is measurably slower).
  // `worker`: of a start or an end; a function, because most calls do not need the worker. `order`:
  // of a submission.
  template <class Worker>
  void Note(const TaskTable& tasks, uint32_t task, What what, int64_t before_ns, int64_t time_ns,
            Worker worker, uint64_t order = 0) {
    if (before_ns == kNever && (known_.empty() || !known_.contains(task))) return;
    Add(tasks, task, {task, worker(), time_ns, order, what});
  }
  void Note(const TaskTable& tasks, uint32_t task, What what, int64_t before_ns, int64_t time_ns) {
    Note(tasks, task, what, before_ns, time_ns, [] { return kNone; });
  }

  // Returns a number that changes with each submission and each run of `task` from the second on,
  // for data that belong to one run; 0 before.
  uint32_t RunOf(uint32_t task) const {
    if (known_.empty()) return 0;
    const auto it = known_.find(task);
    return it == known_.end() ? 0 : it->second.run;
  }

  // An event that was counted and must not count.
  struct Surplus {
    uint32_t rank_index;
    int64_t time_ns;
    What what;  // kReady or kTaken
  };

  // Sets submission, ready, pop, start, worker, last start and last worker of these tasks, see
  // TaskTable, and fills `executions`; workers have the numbers given to Note().
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
    // The workers that started at the time of the last start.
    int64_t latest_ns = kNever;
    std::vector<uint32_t> latest;
  };

  class History;

  void Add(const TaskTable& tasks, uint32_t task, Change change);

  std::unordered_map<uint32_t, Known> known_;
  std::vector<Change> changes_;
};

}  // namespace tasklens::build
