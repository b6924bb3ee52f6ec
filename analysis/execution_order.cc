// SPDX-License-Identifier: Apache-2.0
// One sort by start, small ones by end.
#include "analysis/execution_order.h"

#include <algorithm>

#include "analysis/sort_by_time.h"

namespace tasklens {

ExecutionOrder::ExecutionOrder(const TraceModel& model)
    : place(model.tasks.size(), kNone), previous_on_worker(model.tasks.size(), kNone) {
  const TaskTable& table = model.tasks;
  struct Start {
    int64_t time_ns;
    uint32_t task;
  };
  std::vector<Start> starts;
  for (uint32_t task = 0; task < table.size(); ++task)
    if (Executed(table, task)) starts.push_back({table.start_ns[task], task});
  SortByTime(starts);
  tasks.reserve(starts.size());
  for (const Start& start : starts) tasks.push_back(start.task);
  // Rows are in order; only ends are left to be looked at, where starts are equal.
  for (size_t first = 0, next = 0; first < starts.size(); first = next) {
    while (next < starts.size() && starts[next].time_ns == starts[first].time_ns) ++next;
    if (next - first == 1) continue;
    std::stable_sort(tasks.begin() + static_cast<std::ptrdiff_t>(first),
                     tasks.begin() + static_cast<std::ptrdiff_t>(next),
                     [&](uint32_t a, uint32_t b) { return table.end_ns[a] < table.end_ns[b]; });
  }
  std::vector<uint32_t> last(model.workers.size(), kNone);
  for (uint32_t i = 0; i < tasks.size(); ++i) {
    place[tasks[i]] = i;
    const uint32_t worker = table.worker[tasks[i]];
    if (worker >= last.size()) continue;
    previous_on_worker[tasks[i]] = last[worker];
    last[worker] = tasks[i];
  }
}

}  // namespace tasklens
