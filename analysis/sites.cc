// SPDX-License-Identifier: Apache-2.0
// Each function is one pass over the tasks.
#include "analysis/sites.h"

#include <algorithm>

#include "analysis/eligible_workers.h"
#include "analysis/execution_order.h"
#include "analysis/joined_dependencies.h"
#include "analysis/lists.h"
#include "analysis/sum.h"
#include "analysis/task_stretches.h"
#include "analysis/task_times.h"
#include "analysis/workers_of_tasks.h"
#include "trace/model/executions.h"

namespace tasklens {
namespace {

void AddRun(SiteCost& cost, int64_t length_ns) {
  cost.min_ns = cost.runs ? std::min(cost.min_ns, length_ns) : length_ns;
  cost.max_ns = std::max(cost.max_ns, length_ns);
  AddNs(cost.total_ns, length_ns);
  ++cost.runs;
}

}  // namespace

std::vector<SiteCost> CostBySite(const TraceModel& model) {
  std::vector<SiteCost> by_site(model.sites.size());
  std::vector<uint64_t> names;  // (site, name); in one list, because a program may give every task
                                // its own name
  const TaskTable& tasks = model.tasks;
  const TaskLengths lengths(model);
  const auto add = [&](size_t task, uint32_t site, uint32_t type, StringId name, int64_t start_ns,
                       int64_t end_ns, bool cut) {
    if (site >= by_site.size()) return;
    // A call that waits is not a submission, though an acquisition represents it.
    if ((type & (kTaskInternal | kTaskDataAcquire)) && !Executed(start_ns, end_ns)) return;
    SiteCost& cost = by_site[site];
    ++cost.tasks;
    const uint64_t named = (uint64_t{site} << 32) | name;
    if (names.empty() || names.back() != named) names.push_back(named);
    if (!Executed(start_ns, end_ns) || cut) return;
    AddRun(cost, lengths(static_cast<uint32_t>(task)));
    ++cost.ran;
  };
  ForEachRow(0, tasks.size(), add, tasks.site, tasks.type, tasks.name, tasks.start_ns, tasks.end_ns,
             tasks.cut);
  ForEachEarlierRun(model, [&](const EarlierRun& run) {
    const uint32_t site = tasks.site[run.task];
    if (site < by_site.size()) AddRun(by_site[site], run.end_ns - run.start_ns);
  });
  SortAndMakeUnique(names);
  for (const uint64_t named : names)
    by_site[named >> 32].names.push_back(static_cast<StringId>(named));

  std::vector<SiteCost> costs;
  for (uint32_t site = 0; site < by_site.size(); ++site) {
    if (by_site[site].tasks == 0) continue;
    by_site[site].site = site;
    costs.push_back(std::move(by_site[site]));
  }
  std::stable_sort(costs.begin(), costs.end(),
                   [](const SiteCost& a, const SiteCost& b) { return a.total_ns > b.total_ns; });
  return costs;
}

namespace {

// IsUserTask() on the columns of a task.
bool IsUsers(const TraceModel& model, uint32_t type, StringId name, bool has_submit, uint32_t site,
             int64_t start_ns) {
  return !(type & (kTaskInternal | kTaskDataAcquire)) && !model.str(name).starts_with("_starpu_") &&
         (has_submit || site != kNone || start_ns != kNever);
}

// Adds the executions of tasks with several, except those in the tasks' rows.
void AddRepetitions(const TraceModel& model, const std::vector<uint8_t>& is_user,
                    RunSummary& summary) {
  const TaskTable& tasks = model.tasks;
  ForEachEarlierRun(model, [&](const EarlierRun& run) {
    if (!is_user[run.task]) return;
    AddNs(summary.busy_ns, run.end_ns - run.start_ns);
    if (tasks.site[run.task] == kNone) AddNs(summary.no_line_ns, run.end_ns - run.start_ns);
  });
  const ExecutionTable& executions = model.executions;
  for (size_t row = 0; row < executions.size(); ++row) {
    const uint32_t task = executions.task[row];
    if (!is_user[task]) continue;
    const bool is_first = row == 0 || executions.task[row - 1] != task;
    summary.executions += !executions.cut[row];
    if (is_first && Completed(tasks, task)) --summary.executions;  // counted with the task's row
  }
  if (tasks.resubmissions.AllDefault()) return;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (is_user[task]) summary.submissions += tasks.resubmissions[task];
}

// Returns the number of edges in the graph of these tasks.
uint64_t DependenciesAmong(const TraceModel& model, std::vector<uint8_t> is_shown) {
  const JoinedDependencies joined(model, is_shown);
  uint64_t count = joined.size();
  const DepLists& lists = model.predecessors;
  size_t task = 0;
  uint32_t end = 0;  // end of the previous task's list
  lists.items.Field<0>().ForEach(0, lists.items.size(), [&](size_t item, uint32_t before) {
    while (item >= end) end = lists.offsets[++task];
    count += is_shown[task - 1] & is_shown[before];
  });
  return count;
}

}  // namespace

bool IsUserTask(const TraceModel& model, uint32_t task) {
  const TaskTable& t = model.tasks;
  return IsUsers(model, t.type[task], t.name[task], t.has_submit[task], t.site[task],
                 t.start_ns[task]);
}

RunSummary Summarize(const TraceModel& model) {
  RunSummary summary;
  summary.workers = model.workers.size();
  summary.ranks = model.ranks.size();
  const TaskTable& tasks = model.tasks;
  const TaskLengths lengths(model);
  std::vector<uint8_t> is_user(tasks.size());
  const auto add = [&](size_t task, uint32_t type, StringId name, bool has_submit, uint32_t site,
                       int64_t start_ns, int64_t end_ns, bool cut) {
    const bool executed = Executed(start_ns, end_ns);
    const int64_t length_ns = executed ? lengths(static_cast<uint32_t>(task)) : 0;
    if (!(type & kTaskDataAcquire)) AddNs(summary.worked_ns, length_ns);
    if (!IsUsers(model, type, name, has_submit, site, start_ns)) return;
    is_user[task] = 1;
    ++summary.tasks;
    summary.submissions += has_submit;
    const bool no_line = site == kNone;
    summary.no_line += no_line;
    if (!executed || cut) return;
    AddNs(summary.busy_ns, length_ns);
    if (no_line) AddNs(summary.no_line_ns, length_ns);
    ++summary.ran;
    ++summary.executions;
  };
  ForEachRow(0, tasks.size(), add, tasks.type, tasks.name, tasks.has_submit, tasks.site,
             tasks.start_ns, tasks.end_ns, tasks.cut);
  AddRepetitions(model, is_user, summary);
  summary.dependencies = DependenciesAmong(model, is_user);
  // The row of a task that paused has all of its work.
  const auto is_counted = [&](const Participation& part) {
    return IsOfLastRun(tasks, part) && HasStretches(model, part.task);
  };
  for (const Participation& other : OtherWorkers(model))
    if (!is_counted(other)) AddNs(summary.worked_ns, other.length_ns);
  for (const Participation& first : FirstWorkers(model))
    if (!is_counted(first) && !lengths.HasPaused(first.task))
      AddNs(summary.worked_ns, first.length_ns - lengths(first.task));
  const std::vector<Span> windows = RunWindows(model);
  for (const Span& window : windows)
    summary.span_ns = std::max(summary.span_ns, window.length_ns());
  const std::vector<Span> measured = MeasuredSpans(model, windows);
  const std::vector<bool> counts = WorkersThatCount(model);
  for (size_t worker = 0; worker < measured.size(); ++worker)
    if (counts[worker]) AddNs(summary.measured_ns, measured[worker].length_ns());
  return summary;
}

}  // namespace tasklens
