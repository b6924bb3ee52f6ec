// SPDX-License-Identifier: Apache-2.0
// One sort.
#include "analysis/execution_order.h"

#include <algorithm>
#include <tuple>

namespace tasklens {

ExecutionOrder::ExecutionOrder(const TraceModel& model)
    : place(model.tasks.size(), kNone), previous_on_worker(model.tasks.size(), kNone) {
  const TaskTable& table = model.tasks;
  for (uint32_t task = 0; task < table.size(); ++task)
    if (Executed(table, task)) tasks.push_back(task);
  std::sort(tasks.begin(), tasks.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(table.start_ns[a], table.end_ns[a], a) <
           std::tuple(table.start_ns[b], table.end_ns[b], b);
  });
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
