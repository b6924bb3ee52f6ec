// SPDX-License-Identifier: Apache-2.0
// The work of workers on tasks that have more than one state. A parallel task has one state on each
// of its workers, a task that paused has one for each stretch, a task that ran repeatedly has one
// for each run; its row in the model has the last run, and the worker that started it first. If a
// trace has no stretches, a task that started again on the same worker without having ended had
// paused.
//
// Pure; any thread. O(states of workers).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct Participation {
  uint32_t task, worker;        // rows
  int64_t start_ns, length_ns;  // of the worker's state
};

inline bool IsOfLastRun(const TaskTable& tasks, const Participation& part) {
  return part.start_ns >= tasks.start_ns[part.task];
}

// By worker, everything that is not in the rows of tasks: the other workers of tasks, and earlier
// runs.
std::vector<Participation> OtherWorkers(const TraceModel& model);

// The part of model.tasks.worker in each parallel task, which may end before the task does, and its
// parts in each task that paused.
std::vector<Participation> FirstWorkers(const TraceModel& model);

// The lengths of tasks: from start to end, without pauses.
class TaskLengths {
 public:
  explicit TaskLengths(const TraceModel& model);
  // According to the states of its worker, for models without stretches.
  bool HasPaused(uint32_t task) const { return paused_.contains(task); }
  // REQUIRES: it started and ended.
  int64_t operator()(uint32_t task) const {
    const auto paused = paused_.find(task);
    return paused == paused_.end() ? tasks_.RunNs(task) : paused->second;
  }

 private:
  const TaskTable& tasks_;
  std::unordered_map<uint32_t, int64_t> paused_;  // of tasks without stretches in the model
};

}  // namespace tasklens
