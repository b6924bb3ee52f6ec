// SPDX-License-Identifier: Apache-2.0
// Draws the plots of each kind for a report.
#include "server/report/report_plots.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "analysis/statistics.h"
#include "server/pictures/plot_answer.h"
#include "server/report/json_list.h"

namespace tasklens {

using nlohmann::json;

json ReportPlots(const OpenTrace& trace, size_t most_codelets) {
  const TraceModel& model = *trace.model;
  const PlotRun run[] = {{trace.title, &model}};
  json pictures = json::array();
  const auto add = [&](const PlotKind& kind, const PlotOptions& options) {
    const Result<messages::PlotPicture> picture = DrawPlot(kind, run, options);
    if (!picture.ok()) return;  // (only for an unknown codelet or option)
    json& row = pictures.emplace_back();
    Write(*picture, row);
    row["by"] = options.by;
    row["codelet"] = options.codelets.empty() ? json() : json(options.codelets.front());
  };
  const auto codelets = trace.views->StatisticsOf(StatisticsBy::kCodelet, false, nullptr);
  const std::span costliest(codelets->data(), std::min(codelets->size(), most_codelets));
  for (const PlotKind& kind : PlotKinds()) {
    PlotOptions options{.theme = kPagePlot};
    add(kind, options);
    for (const std::string_view by : kind.by)
      if (by != options.by) add(kind, {.theme = kPagePlot, .by = std::string(by)});
    if (!kind.has_codelets) continue;
    for (const StatisticsRow& row : costliest) {
      options.codelets = {StatisticsLabel(model, StatisticsBy::kCodelet, row.key)};
      add(kind, options);
    }
  }
  return {{"kinds", JsonList(PlotChoices())}, {"pictures", std::move(pictures)}};
}

}  // namespace tasklens
