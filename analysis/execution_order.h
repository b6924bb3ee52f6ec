// SPDX-License-Identifier: Apache-2.0
// Sorts the executed tasks so that every edge that the clock allows goes forward.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// Whether the task has a valid start and end.
inline bool Executed(int64_t start_ns, int64_t end_ns) {
  return start_ns != kNever && end_ns != kNever && start_ns <= end_ns;
}
inline bool Executed(const TaskTable& tasks, uint32_t task) {
  return Executed(tasks.start_ns[task], tasks.end_ns[task]);
}

// Whether it ran to its end, and was not cut by the end of the trace.
inline bool Completed(const TaskTable& tasks, uint32_t task) {
  return Executed(tasks, task) && !tasks.cut[task];
}

// 8 bytes per task; three times as much while it is built if tasks did not start in the order of
// their rows.
struct ExecutionOrder {
  std::vector<uint32_t> tasks;  // executed tasks by (start, end, row)
  std::vector<uint32_t> place;  // per row of tasks: its index in `tasks`, or kNone

  explicit ExecutionOrder(const TraceModel& model);

  // Whether `before` -> `after` is an edge that the clock allows.
  bool Forward(const TaskTable& tasks_table, uint32_t before, uint32_t after) const {
    return place[before] < place[after] && place[after] != kNone &&
           tasks_table.end_ns[before] <= tasks_table.start_ns[after];
  }
};

// Per row of tasks: the task its worker ran before, or kNone.
std::vector<uint32_t> PreviousOnWorker(const TraceModel& model, const ExecutionOrder& order);

}  // namespace tasklens
