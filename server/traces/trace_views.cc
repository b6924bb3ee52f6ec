// SPDX-License-Identifier: Apache-2.0
// Makes the views and keeps them.
#include "server/traces/trace_views.h"

#include <algorithm>

#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/colours.h"
#include "analysis/critical_path.h"
#include "analysis/execution_order.h"
#include "analysis/graph_browser.h"
#include "analysis/group_finder.h"
#include "analysis/idle.h"
#include "analysis/last_dependencies.h"
#include "analysis/path_view.h"
#include "analysis/statistics.h"
#include "analysis/task_estimates.h"
#include "analysis/timeline.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "analysis/timeline_flags.h"
#include "analysis/timeline_rows.h"
#include "analysis/topology.h"

namespace tasklens {

TraceViews::TraceViews(std::shared_ptr<const TraceModel> model) : model_(std::move(model)) {
  static_assert(kArrows == kArrowKinds.size());
  static_assert(kStatistics == static_cast<size_t>(StatisticsBy::kSize) + 1);
  static_assert(kColours == kColourings);
}

TraceViews::~TraceViews() = default;

std::shared_ptr<const TimelineIndex> TraceViews::Timeline(Stop stop) {
  return timeline_.Get(stop, [&] { return std::make_shared<TimelineIndex>(*model_, stop); });
}

std::shared_ptr<const TimelineRows> TraceViews::Rows(Stop stop) {
  return rows_.Get(stop, [&] { return std::make_shared<TimelineRows>(*model_); });
}

// Views that are built from the rows refer to them; the rows live as long as this object.
std::shared_ptr<const TimelineCurves> TraceViews::Curves(Stop stop) {
  const auto rows = Rows(stop);
  if (!rows) return nullptr;
  return curves_.Get(stop, [&] { return std::make_shared<TimelineCurves>(*model_, *rows, stop); });
}

std::shared_ptr<const TimelineFlags> TraceViews::Flags(bool with_scheduler, Stop stop) {
  const auto rows = Rows(stop);
  if (!rows) return nullptr;
  return flags_[with_scheduler].Get(
      stop, [&] { return std::make_shared<TimelineFlags>(*model_, *rows, with_scheduler, stop); });
}

std::shared_ptr<const TimelineArrows> TraceViews::Arrows(ArrowKind kind, Stop stop) {
  const auto rows = Rows(stop);
  if (!rows) return nullptr;
  return arrows_[static_cast<size_t>(kind)].Get(
      stop, [&] { return std::make_shared<TimelineArrows>(*model_, *rows, kind, stop); });
}

std::shared_ptr<const std::vector<double>> TraceViews::Estimates(Stop stop) {
  return estimates_.Get(
      stop, [&] { return std::make_shared<const std::vector<double>>(EstimatesOfTasks(*model_)); });
}

std::shared_ptr<const JoinedDependencies> TraceViews::Placed(Stop stop) {
  const auto rows = Rows(stop);
  if (!rows) return nullptr;
  return placed_.Get(stop, [&] {
    return std::make_shared<JoinedDependencies>(PlacedDependencies(*model_, *rows, stop));
  });
}

std::shared_ptr<const Topology> TraceViews::Levels(Stop stop) {
  return levels_.Get(stop, [&] { return std::make_shared<Topology>(*model_, stop); });
}

std::shared_ptr<const TaskSelection> TraceViews::Selection(bool internal, Stop stop) {
  return selections_[internal].Get(
      stop, [&] { return std::make_shared<TaskSelection>(*model_, internal, stop); });
}

std::shared_ptr<const TaskColours> TraceViews::Colours(ColourBy by, Stop stop) {
  return colours_[static_cast<size_t>(by)].Get(
      stop, [&] { return std::make_shared<TaskColours>(*model_, by, stop); });
}

std::shared_ptr<const std::vector<Finding>> TraceViews::Findings(Stop stop) {
  auto findings = findings_.Get(stop, [&] {
    const auto idle = SharedIdleness(stop);
    return std::make_shared<const std::vector<Finding>>(idle ? Advise(*model_, *idle, stop)
                                                             : std::vector<Finding>());
  });
  if (!is_idleness_asked_) idleness_.Forget();
  return findings;
}

std::shared_ptr<const CriticalPath> TraceViews::Critical(Stop stop) {
  return critical_.Get(
      stop, [&] { return std::make_shared<CriticalPath>(ObservedCriticalPath(*model_, stop)); });
}

std::shared_ptr<const PathIndex> TraceViews::Path(Stop stop) {
  const auto rows = Rows(stop);
  const auto path = Critical(stop);
  if (!rows || !path) return nullptr;
  return path_.Get(stop, [&] { return std::make_shared<PathIndex>(*model_, *rows, *path); });
}

std::shared_ptr<const LastDependencies> TraceViews::WhyLate() {
  return last_dependencies_.Get(nullptr,
                                [&] { return std::make_shared<LastDependencies>(*model_); });
}

std::shared_ptr<const IdleReport> TraceViews::Idleness(Stop stop) {
  is_idleness_asked_ = true;
  return SharedIdleness(stop);
}

std::shared_ptr<const IdleReport> TraceViews::SharedIdleness(Stop stop) {
  return idleness_.Get(
      stop, [&] { return std::make_shared<IdleReport>(ExplainIdleness(*model_, stop)); });
}

std::shared_ptr<const Bounds> TraceViews::LowerBounds(Stop stop) {
  return bounds_.Get(stop, [&] { return std::make_shared<Bounds>(ComputeBounds(*model_, stop)); });
}

std::shared_ptr<const std::vector<StatisticsRow>> TraceViews::StatisticsOf(StatisticsBy by,
                                                                           bool internal,
                                                                           Stop stop) {
  return statistics_[static_cast<size_t>(by)][internal].Get(stop, [&] {
    return std::make_shared<const std::vector<StatisticsRow>>(
        Statistics(*model_, by, stop, internal));
  });
}

std::shared_ptr<const Lists<uint32_t>> TraceViews::TasksBySite(Stop stop) {
  return tasks_by_site_.Get(stop, [&] {
    const Column<uint32_t>& site_of = model_->tasks.site;
    const size_t sites = model_->sites.size();
    auto lists = std::make_shared<Lists<uint32_t>>();
    std::vector<uint32_t>& ends = lists->offsets;
    ends.assign(sites + 1, 0);
    // A waiting call is not a submission, though an acquisition task stands for it.
    const auto counts = [&](uint32_t task) {
      return site_of[task] < sites &&
             (!(model_->tasks.type[task] & (kTaskInternal | kTaskDataAcquire)) ||
              Executed(model_->tasks, task));
    };
    for (uint32_t task = 0; task < model_->tasks.size(); ++task)
      if (counts(task)) ++ends[site_of[task] + 1];
    for (size_t site = 0; site < sites; ++site) ends[site + 1] += ends[site];
    lists->items.resize(ends.back());
    std::vector<uint32_t> next(ends.begin(), ends.end() - 1);
    for (uint32_t task = 0; task < model_->tasks.size(); ++task)
      if (counts(task)) lists->items[next[site_of[task]]++] = task;
    return lists;
  });
}

bool TraceViews::Browse(const std::string& key, const GraphQuery& query, Stop stop,
                        const std::function<void(GraphBrowser&)>& use) {
  const std::shared_ptr<const Topology> topology = Levels(stop);
  if (!topology) return false;
  const std::lock_guard<std::mutex> lock(browsers_mutex_);
  std::deque<Kept>& browsers = query.only ? part_browsers_ : browsers_;
  const auto found = std::find_if(browsers.begin(), browsers.end(),
                                  [&](const Kept& kept) { return kept.key == key; });
  Kept kept{key, nullptr};
  if (found != browsers.end()) {
    kept = std::move(*found);
    browsers.erase(found);
    kept.browser->set_stop(stop);
    kept.browser->SetOpen(query.open);
  } else {
    kept.browser = std::make_unique<GraphBrowser>(*model_, *topology, query, stop);
  }
  if (Stopped(stop)) return false;
  kept.browser->set_stop(nullptr);
  use(*kept.browser);
  browsers.push_front(std::move(kept));
  if (browsers.size() > (query.only ? 1 : kBrowsers)) browsers.pop_back();
  return true;
}

bool TraceViews::FindGroups(const GraphQuery& query, Stop stop,
                            const std::function<void(GroupFinder&)>& use) {
  const std::shared_ptr<const Topology> topology = Levels(stop);
  if (!topology) return false;
  const std::lock_guard<std::mutex> lock(finder_mutex_);
  const auto is_meant = [&](const GraphQuery& kept) {
    return kept.selection == query.selection && kept.nesting == query.nesting &&
           kept.only == query.only;
  };
  if (!finder_ || !is_meant(finder_->query()))
    finder_ = std::make_unique<GroupFinder>(*model_, *topology, query);
  use(*finder_);
  return !Stopped(stop);
}

}  // namespace tasklens
