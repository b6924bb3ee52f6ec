// SPDX-License-Identifier: Apache-2.0
// Columns of the task table, with gaps filled where that is safe.
#include "analysis/task_times.h"

#include <algorithm>

#include "analysis/execution_order.h"
#include "trace/model/executions.h"

namespace tasklens {
namespace {

void Include(Span& span, bool& any, int64_t from_ns, int64_t to_ns) {
  span.begin_ns = any ? std::min(span.begin_ns, from_ns) : from_ns;
  span.end_ns = any ? std::max(span.end_ns, to_ns) : to_ns;
  any = true;
}

}  // namespace

std::vector<Span> RunWindows(const TraceModel& model) {
  const TaskTable& tasks = model.tasks;
  std::vector<Span> windows(model.ranks.size());
  // Not vector<bool>, which has no bool&.
  std::vector<uint8_t> any(model.ranks.size(), 0);
  const auto include = [&](size_t, int64_t start_ns, int64_t end_ns, int64_t submit_ns,
                           uint32_t type, uint32_t rank) {
    if (!Executed(start_ns, end_ns) || (type & kTaskDataAcquire)) return;
    const int64_t begin_ns = submit_ns != kNever ? std::min(start_ns, submit_ns) : start_ns;
    bool seen = any[rank] != 0;
    Include(windows[rank], seen, begin_ns, end_ns);
    any[rank] = 1;
  };
  ForEachRow(0, tasks.size(), include, tasks.start_ns, tasks.end_ns, tasks.submit_ns, tasks.type,
             tasks.rank_index);
  ForEachEarlierRun(model, [&](const EarlierRun& run) {
    include(run.task, run.start_ns, run.end_ns, run.submit_ns, tasks.type[run.task],
            tasks.rank_index[run.task]);
  });
  Span common;
  bool some = false;
  const auto is_aligned = [&](size_t rank) {
    return model.ranks.aligned[rank] || model.ranks.size() == 1;
  };
  for (size_t rank = 0; rank < windows.size(); ++rank)
    if (any[rank] && is_aligned(rank))
      Include(common, some, windows[rank].begin_ns, windows[rank].end_ns);
  for (size_t rank = 0; rank < windows.size(); ++rank)
    if (is_aligned(rank)) windows[rank] = common;
  return windows;
}

std::vector<Span> MeasuredSpans(const TraceModel& model, const std::vector<Span>& windows) {
  const WorkerTable& workers = model.workers;
  std::vector<Span> measured(workers.size());
  for (size_t row = 0; row < workers.size(); ++row) {
    const Span& window = windows[workers.rank_index[row]];
    const int64_t from_ns =
        workers.ready_ns[row] != kNever ? workers.ready_ns[row] : workers.start_ns[row];
    const int64_t to_ns =
        workers.stop_ns[row] != kNever ? workers.stop_ns[row] : workers.end_ns[row];
    Span& span = measured[row];
    span.begin_ns = std::clamp(from_ns, window.begin_ns, window.end_ns);
    span.end_ns = to_ns == kNever ? window.end_ns : std::clamp(to_ns, span.begin_ns, window.end_ns);
  }
  return measured;
}

bool TellsReadiness(const TraceModel& model) {
  return std::none_of(model.info.begin(), model.info.end(), [&](const auto& entry) {
    return model.str(entry.first) == "dependencies" && model.str(entry.second) == "not recorded";
  });
}

TaskTimes TimesOf(const TraceModel& model, uint32_t task) {
  const TaskTable& tasks = model.tasks;
  TaskTimes times{tasks.submit_ns[task], tasks.ready_ns[task], tasks.pop_ns[task],
                  tasks.start_ns[task], tasks.end_ns[task]};
  if (!Executed(tasks, task)) {
    times.start_ns = times.end_ns = kNever;
    return times;
  }
  if (times.ready_ns == kNever) {
    int64_t last_end_ns = kNever;  // kNever is the least number
    for (const DepEnd& dep : model.predecessors[task])
      last_end_ns = std::max(last_end_ns, Executed(tasks, dep.task) ? tasks.end_ns[dep.task]
                                                                    : tasks.done_ns[dep.task]);
    times.ready_ns = std::max(times.submit_ns, last_end_ns);
    const bool is_unknown = last_end_ns == kNever && !TellsReadiness(model);
    if (times.ready_ns == kNever || is_unknown) times.ready_ns = times.start_ns;
  }
  times.ready_ns = std::min(times.ready_ns, times.start_ns);
  if (times.taken_ns == kNever) times.taken_ns = times.start_ns;
  times.taken_ns = std::clamp(times.taken_ns, times.ready_ns, times.start_ns);
  if (times.submit_ns != kNever) times.submit_ns = std::min(times.submit_ns, times.ready_ns);
  return times;
}

}  // namespace tasklens
