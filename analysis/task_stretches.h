// SPDX-License-Identifier: Apache-2.0
// When and where a task ran: in one stretch, or in several if it paused.
//
// Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/model/trace_model.h"

namespace tasklens {

// Returns the first row of model.stretches of `task` or a later task. O(log n).
inline size_t FirstStretch(const TraceModel& model, uint32_t task) {
  const std::vector<uint32_t>& tasks = model.stretches.task;
  return static_cast<size_t>(std::lower_bound(tasks.begin(), tasks.end(), task) - tasks.begin());
}
// Whether the task paused and resumed, even at the same moment.
inline bool HasStretches(const TraceModel& model, uint32_t task) {
  const size_t first = FirstStretch(model, task);
  return first < model.stretches.size() && model.stretches.task[first] == task;
}

// Calls f(worker, start_ns, end_ns) for each stretch, in order of starts; worker may be kNone.
// REQUIRES: the task ran.
template <class F>
void ForEachStretch(const TraceModel& model, uint32_t task, F f) {
  const StretchTable& stretches = model.stretches;
  size_t row = FirstStretch(model, task);
  if (row == stretches.size() || stretches.task[row] != task)
    return f(model.tasks.worker[task], model.tasks.start_ns[task], model.tasks.end_ns[task]);
  for (; row < stretches.size() && stretches.task[row] == task; ++row)
    f(stretches.worker[row], stretches.start_ns[row], stretches.end_ns[row]);
}

}  // namespace tasklens
