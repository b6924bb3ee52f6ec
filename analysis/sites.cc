// SPDX-License-Identifier: Apache-2.0
// One pass over the tasks each.
#include "analysis/sites.h"

#include <algorithm>

#include "analysis/execution_order.h"
#include "analysis/joined_dependencies.h"
#include "analysis/sum.h"
#include "analysis/task_times.h"
#include "analysis/workers_of_tasks.h"

namespace tasklens {

std::vector<SiteCost> CostBySite(const TraceModel& model) {
  std::vector<SiteCost> by_site(model.sites.size());
  std::vector<uint64_t> names;  // (site, name); a program may give every task its own name
  const TaskTable& tasks = model.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const uint32_t site = tasks.site[task];
    if (site >= by_site.size()) continue;
    SiteCost& cost = by_site[site];
    ++cost.tasks;
    const uint64_t named = (uint64_t{site} << 32) | tasks.name[task];
    if (names.empty() || names.back() != named) names.push_back(named);
    if (!Completed(tasks, task)) continue;
    const int64_t length_ns = tasks.end_ns[task] - tasks.start_ns[task];
    cost.min_ns = cost.ran ? std::min(cost.min_ns, length_ns) : length_ns;
    cost.max_ns = std::max(cost.max_ns, length_ns);
    AddNs(cost.total_ns, length_ns);
    ++cost.ran;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
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

bool IsUserTask(const TraceModel& model, uint32_t task) {
  const TaskTable& tasks = model.tasks;
  if (tasks.type[task] & (kTaskInternal | kTaskDataAcquire)) return false;
  if (model.str(tasks.name[task]).starts_with("_starpu_")) return false;
  return tasks.has_submit[task] || tasks.site[task] != kNone || tasks.start_ns[task] != kNever;
}

namespace {

// As many as the graph of these tasks has edges.
uint64_t DependenciesAmong(const TraceModel& model, std::vector<uint8_t> is_shown) {
  const JoinedDependencies joined(model, is_shown);
  uint64_t count = joined.size();
  for (uint32_t task = 0; task < is_shown.size(); ++task)
    if (is_shown[task])
      for (const DepEnd& before : model.predecessors[task]) count += is_shown[before.task];
  return count;
}

}  // namespace

RunSummary Summarize(const TraceModel& model) {
  RunSummary summary;
  summary.workers = model.workers.size();
  summary.ranks = model.ranks.size();
  const TaskTable& tasks = model.tasks;
  std::vector<uint8_t> is_user(tasks.size());
  for (uint32_t task = 0; task < tasks.size(); ++task) is_user[task] = IsUserTask(model, task);
  summary.dependencies = DependenciesAmong(model, is_user);
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const int64_t length_ns = Executed(tasks, task) ? tasks.end_ns[task] - tasks.start_ns[task] : 0;
    if (!(tasks.type[task] & kTaskDataAcquire)) AddNs(summary.worked_ns, length_ns);
    if (!is_user[task]) continue;
    ++summary.tasks;
    const bool no_line = tasks.site[task] == kNone;
    summary.no_line += no_line;
    if (!Completed(tasks, task)) continue;
    AddNs(summary.busy_ns, length_ns);
    if (no_line) AddNs(summary.no_line_ns, length_ns);
    ++summary.ran;
  }
  for (const Participation& other : OtherWorkers(model)) AddNs(summary.worked_ns, other.length_ns);
  for (const Participation& first : FirstWorkers(model))
    AddNs(summary.worked_ns,
          first.length_ns - (tasks.end_ns[first.task] - tasks.start_ns[first.task]));
  const std::vector<Span> windows = RunWindows(model);
  for (const Span& window : windows)
    summary.span_ns = std::max(summary.span_ns, window.length_ns());
  for (const Span& span : MeasuredSpans(model, windows))
    AddNs(summary.measured_ns, span.length_ns());
  return summary;
}

}  // namespace tasklens
