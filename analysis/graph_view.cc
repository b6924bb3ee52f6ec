// SPDX-License-Identifier: Apache-2.0
// Names and captions; the work is GraphBrowser's.
#include "analysis/graph_view.h"

#include <iterator>

#include "analysis/graph_browser.h"
#include "analysis/sites.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

constexpr std::string_view kGroupNames[] = {"iteration", "codelet", "site",
                                            "levels",    "data",    "worker"};

}  // namespace

std::string_view GroupByName(GroupBy by) { return kGroupNames[static_cast<size_t>(by)]; }

std::optional<GroupBy> ParseGroupBy(std::string_view name) {
  for (size_t i = 0; i < std::size(kGroupNames); ++i)
    if (kGroupNames[i] == name) return static_cast<GroupBy>(i);
  return std::nullopt;
}

std::string TasksCaption(uint64_t covered, uint64_t total, uint64_t joining) {
  std::string text = CountText(covered) + " of " + CountText(total, "task");
  if (joining > 0) text += " and " + CountText(joining) + " of the runtime's";
  return text;
}

std::string GraphView::Caption() const {
  const uint64_t groups = nodes.size() - tasks_shown;
  std::string text = TasksCaption(tasks_covered, tasks_total, tasks_joining);
  if (groups > 0) {
    text += " in " + CountText(groups, "group");
    if (tasks_shown > 0) text += ", " + CountText(tasks_shown) + " by themselves";
  }
  if (dependencies_left_out > 0)
    text += "; edges for " + CountText(dependencies_left_out) + " dependencies left out";
  if (!not_opened.empty()) text += "; no room to open " + CountText(not_opened.size()) + " more";
  return text;
}

TaskSelection::TaskSelection(const TraceModel& model, bool internal, Stop stop)
    : is_shown(model.tasks.size()) {
  for (uint32_t task = 0; task < is_shown.size(); ++task) {
    is_shown[task] = !model.tasks.hidden[task] && (internal || IsUserTask(model, task));
    count += is_shown[task];
  }
  dependencies = JoinedDependencies(model, is_shown, stop);
}

const JoinedDependencies& GraphQuery::dependencies() const {
  static const JoinedDependencies kNothingJoined;
  return selection ? selection->dependencies : kNothingJoined;
}

GraphView ViewGraph(const TraceModel& model, const Topology& topology, const GraphQuery& query) {
  return GraphBrowser(model, topology, query).View();
}

}  // namespace tasklens
