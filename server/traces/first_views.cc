// SPDX-License-Identifier: Apache-2.0
// Saves and loads the summary, the costs of each site, and the timeline.
#include "server/traces/first_views.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "trace/model/saved_columns.h"
#include "trace/support/beside.h"

namespace tasklens {
namespace {

// Visits each number of a site.
template <class Cost, class Visitor>
void VisitNumbers(Cost& cost, Visitor& visit) {
  visit(cost.tasks);
  visit(cost.ran);
  visit(cost.runs);
  visit(cost.total_ns);
  visit(cost.min_ns);
  visit(cost.max_ns);
  visit(cost.names);
}

bool NamesWhatExists(const SiteCost& cost, const TraceModel& model) {
  return cost.site < model.sites.size() &&
         std::all_of(cost.names.begin(), cost.names.end(),
                     [&](StringId name) { return name < model.strings.size(); });
}

}  // namespace

FirstViews SummarizeForViews(const TraceModel& model) {
  FirstViews views;
  auto summary = Beside([&model] { return Summarize(model); });
  views.costs = CostBySite(model);
  views.summary = summary.get();
  return views;
}

void SaveViews(const FirstViews& views, const std::function<void(std::string_view)>& write) {
  ColumnSaver save(write);
  save(std::vector{views.summary});
  save(uint64_t{views.costs.size()});
  for (const SiteCost& cost : views.costs) {
    save(uint64_t{cost.site});
    VisitNumbers(cost, save);
  }
  views.timeline->Save(save);
  save.End();
}

Result<FirstViews> LoadViews(const TraceModel& model, std::span<const std::byte> bytes) {
  const Status corrupt(ErrorCode::kCorrupt, "no saved views");
  ColumnLoader load(bytes);
  FirstViews views;
  uint64_t sites = 0;
  std::vector<RunSummary> summary;
  load(summary);
  load(sites);
  if (!load.ok() || summary.size() != 1) return corrupt;
  views.summary = summary[0];
  for (; sites > 0; --sites) {
    uint64_t site = 0;
    load(site);
    SiteCost cost{static_cast<uint32_t>(site)};
    VisitNumbers(cost, load);
    if (!load.ok() || !NamesWhatExists(cost, model)) return corrupt;
    views.costs.push_back(std::move(cost));
  }
  auto timeline = TimelineIndex::Load(model, load);
  load.End();
  if (!load.ok() || !timeline.ok()) return corrupt;
  views.timeline = std::make_shared<const TimelineIndex>(std::move(*timeline));
  return views;
}

}  // namespace tasklens
