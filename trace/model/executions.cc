// SPDX-License-Identifier: Apache-2.0
// Look-ups of executions, and their order by end.
#include "trace/model/executions.h"

#include <algorithm>

namespace tasklens {

Execution ExecutionAt(const TraceModel& model, uint32_t task, uint32_t worker, int64_t time_ns) {
  const ExecutionTable& table = model.executions;
  size_t low = 0;
  for (size_t high = table.size(); low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (table.task[middle] < task)
      low = middle + 1;
    else
      high = middle;
  }
  size_t best = table.size();
  for (; low < table.size() && table.task[low] == task && table.start_ns[low] <= time_ns; ++low)
    if (table.worker[low] == worker) best = low;
  return ExecutionOf(model,
                     best < table.size() ? static_cast<uint32_t>(model.tasks.size() + best) : task);
}

std::vector<uint32_t> EndedExecutions(const TraceModel& model) {
  std::vector<uint32_t> ended;
  ForEachExecution(model, [&](const Execution& execution) {
    if (execution.worker < model.workers.size() && execution.end_ns != kNever && !execution.cut)
      ended.push_back(execution.id);
  });
  std::stable_sort(ended.begin(), ended.end(), [&](uint32_t a, uint32_t b) {
    return EndOfExecution(model, a) < EndOfExecution(model, b);
  });
  return ended;
}

}  // namespace tasklens
