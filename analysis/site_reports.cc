// SPDX-License-Identifier: Apache-2.0
// One pass over the tasks, one over their dependencies.
#include "analysis/site_reports.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/execution_order.h"
#include "analysis/joined_dependencies.h"
#include "analysis/sum.h"
#include "analysis/workers_of_tasks.h"

namespace tasklens {
namespace {

using Part = SiteReport::Part;
using Neighbour = SiteReport::Neighbour;

void AddRun(Part& part, int64_t length_ns) {
  part.min_ns = part.ran ? std::min(part.min_ns, length_ns) : length_ns;
  part.max_ns = std::max(part.max_ns, length_ns);
  AddNs(part.total_ns, length_ns);
  ++part.ran;
}

// Counts the dependencies from each site to each other; also through tasks without a site, unless
// too many meet there (joined_dependencies.h).
void CountNeighbours(const TraceModel& model, std::vector<SiteReport>& reports, Stop stop) {
  std::unordered_map<uint64_t, uint64_t> counts;
  const TaskTable& tasks = model.tasks;
  std::vector<uint8_t> has_site(tasks.size());
  for (uint32_t task = 0; task < tasks.size(); ++task)
    has_site[task] = tasks.site[task] < reports.size();
  const JoinedDependencies dependencies(model, has_site, stop);
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (Stopped(stop, task)) return;
    const uint32_t to = tasks.site[task];
    if (to >= reports.size()) continue;
    dependencies.ForEachBefore(model, task, [&](uint32_t before) {
      const uint32_t from = tasks.site[before];
      if (from < reports.size()) ++counts[uint64_t{from} << 32 | to];
    });
  }
  for (const auto& [pair, count] : counts) {
    const auto from = static_cast<uint32_t>(pair >> 32), to = static_cast<uint32_t>(pair);
    reports[to].feeds_it.push_back({from, count});
    reports[from].it_feeds.push_back({to, count});
  }
  const auto before = [](const Neighbour& a, const Neighbour& b) {
    return a.dependencies != b.dependencies ? a.dependencies > b.dependencies : a.site < b.site;
  };
  for (SiteReport& report : reports) {
    std::sort(report.feeds_it.begin(), report.feeds_it.end(), before);
    std::sort(report.it_feeds.begin(), report.it_feeds.end(), before);
  }
}

void TakeStatistics(StatisticsRow& row, SiteReport& report) {
  report.durations = std::move(row.durations);
  report.estimates = row.estimates;
  report.flops = row.flops;
  report.flops_ns = row.flops_ns;
}

// Adds the tasks of each group. `group_of`(task): a row of the reports, or one beyond the end.
template <class GroupOf>
void AddTasks(const TraceModel& model, const GroupOf& group_of, std::vector<SiteReport>& reports,
              Stop stop) {
  const TaskTable& tasks = model.tasks;
  const TaskLengths lengths(model);
  std::set<std::pair<uint32_t, uint32_t>> ran_on;  // (group, worker)
  // In a map, because a program may give each of its tasks its own name.
  std::map<std::tuple<uint32_t, StringId, WorkerArch>, Part> parts;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (Stopped(stop, task)) return;
    const uint32_t group = group_of(task);
    if (group >= reports.size()) continue;
    SiteReport& report = reports[group];
    ++report.tasks;
    report.size_bytes += tasks.size_bytes[task];
    if (!Completed(tasks, task)) continue;
    const uint32_t worker = tasks.worker[task];
    const bool has_worker = worker < model.workers.size();
    if (has_worker && ran_on.emplace(group, worker).second) ++report.workers;
    const WorkerArch arch = has_worker ? model.workers.arch[worker] : WorkerArch::kUnknown;
    const auto key = std::tuple(group, tasks.name[task], arch);
    Part& part = parts.try_emplace(key, Part{tasks.name[task], arch}).first->second;
    AddRun(part, lengths(task));
    if (tasks.ready_ns[task] == kNever || tasks.ready_ns[task] > tasks.start_ns[task]) continue;
    AddNs(report.waiting_ns, tasks.start_ns[task] - tasks.ready_ns[task]);
    ++report.waited;
  }
  for (const auto& [key, part] : parts) reports[std::get<0>(key)].parts.push_back(part);
  for (SiteReport& report : reports)
    std::stable_sort(report.parts.begin(), report.parts.end(),
                     [](const Part& a, const Part& b) { return a.total_ns > b.total_ns; });
}

}  // namespace

std::vector<SiteReport> ReportSites(const TraceModel& model, Stop stop) {
  std::vector<SiteReport> reports(model.sites.size());
  for (StatisticsRow& row : Statistics(model, StatisticsBy::kSite, stop))
    if (row.key < reports.size()) TakeStatistics(row, reports[row.key]);
  AddTasks(
      model, [&](uint32_t task) { return model.tasks.site[task]; }, reports, stop);
  CountNeighbours(model, reports, stop);
  return reports;
}

std::vector<CodeletReport> ReportCodelets(const TraceModel& model, Stop stop) {
  std::vector<StatisticsRow> rows = Statistics(model, StatisticsBy::kCodelet, stop);
  std::unordered_map<StringId, uint32_t> row_of;
  std::vector<SiteReport> reports(rows.size());
  for (uint32_t row = 0; row < rows.size(); ++row) {
    row_of[rows[row].key] = row;
    TakeStatistics(rows[row], reports[row]);
  }
  const auto group_of = [&](uint32_t task) {
    if (model.tasks.type[task] & (kTaskInternal | kTaskDataAcquire)) return kNone;
    const auto it = row_of.find(model.tasks.name[task]);
    return it == row_of.end() ? kNone : it->second;
  };
  AddTasks(model, group_of, reports, stop);
  std::vector<CodeletReport> codelets;
  for (size_t row = 0; row < rows.size(); ++row)
    codelets.push_back({rows[row].key, std::move(reports[row])});
  return codelets;
}

}  // namespace tasklens
