// SPDX-License-Identifier: Apache-2.0
// Sorts by start if necessary, and equal starts by end.
#include "analysis/execution_order.h"

#include <algorithm>

#include "analysis/sort_by_time.h"

namespace tasklens {

namespace {

// Returns the executed tasks in the order of their rows; `sorted`: they started in that order.
std::vector<uint32_t> ExecutedRows(const TaskTable& table, bool& sorted) {
  std::vector<uint32_t> rows;
  rows.reserve(table.size());
  sorted = true;
  int64_t start_ns = kNever, end_ns = kNever;  // of the previous row
  for (uint32_t task = 0; task < table.size(); ++task) {
    if (!Executed(table, task)) continue;
    const int64_t its_start_ns = table.start_ns[task], its_end_ns = table.end_ns[task];
    sorted &= start_ns < its_start_ns || (start_ns == its_start_ns && end_ns <= its_end_ns);
    start_ns = its_start_ns;
    end_ns = its_end_ns;
    rows.push_back(task);
  }
  return rows;
}

void SortByStart(const TaskTable& table, std::vector<uint32_t>& tasks) {
  struct Start {
    int64_t time_ns;
    uint32_t task;
  };
  std::vector<Start> starts;
  starts.reserve(tasks.size());
  for (const uint32_t task : tasks) starts.push_back({table.start_ns[task], task});
  SortByTime(starts);
  for (size_t i = 0; i < starts.size(); ++i) tasks[i] = starts[i].task;
  // Sorted by row already: only equal starts remain to be sorted by end.
  for (size_t first = 0, next = 0; first < starts.size(); first = next) {
    while (next < starts.size() && starts[next].time_ns == starts[first].time_ns) ++next;
    if (next - first == 1) continue;
    std::stable_sort(tasks.begin() + static_cast<std::ptrdiff_t>(first),
                     tasks.begin() + static_cast<std::ptrdiff_t>(next),
                     [&](uint32_t a, uint32_t b) { return table.end_ns[a] < table.end_ns[b]; });
  }
}

}  // namespace

ExecutionOrder::ExecutionOrder(const TraceModel& model) {
  bool sorted;
  tasks = ExecutedRows(model.tasks, sorted);
  if (!sorted) SortByStart(model.tasks, tasks);
  place.assign(model.tasks.size(), kNone);
  for (uint32_t i = 0; i < tasks.size(); ++i) place[tasks[i]] = i;
}

std::vector<uint32_t> PreviousOnWorker(const TraceModel& model, const ExecutionOrder& order) {
  std::vector<uint32_t> previous(model.tasks.size(), kNone);
  std::vector<uint32_t> last(model.workers.size(), kNone);
  for (const uint32_t task : order.tasks) {
    const uint32_t worker = model.tasks.worker[task];
    if (worker >= last.size()) continue;
    previous[task] = last[worker];
    last[worker] = task;
  }
  return previous;
}

}  // namespace tasklens
