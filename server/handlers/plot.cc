// SPDX-License-Identifier: Apache-2.0
// tasklens/plot: a plot of open traces as a picture: histograms, activity, messages and others.
#include "server/handlers/request.h"
#include "server/pictures/plot_answer.h"

namespace tasklens {
namespace {

using messages::PlotParams;

Result<messages::PlotAnswer> ShowPlot(const Session& session, const PlotParams& params,
                                      const Call&) {
  const auto kind = FindPlotKind(params.kind);
  if (!kind.ok()) return kind.status();
  PlotOptions options;
  options.by = params.by;
  options.codelets = params.codelets;
  if (Status s = CheckPlotOptions(**kind, options); !s.ok())
    return Status(s.code(), "params: " + s.message());
  if (params.theme == "dark") options.theme = kDarkPlot;
  if (params.theme == "page") options.theme = kPagePlot;
  std::vector<std::shared_ptr<const OpenTrace>> traces;
  std::vector<std::string> ids = {params.trace};
  ids.insert(ids.end(), params.others.begin(), params.others.end());
  std::vector<PlotRun> runs;
  for (const std::string& id : ids) {
    const auto trace = session.FindWhole(id);
    if (!trace.ok()) return trace.status();
    traces.push_back(*trace);
    runs.emplace_back((*trace)->title, (*trace)->model.get());
  }
  Result<messages::PlotPicture> picture = DrawPlot(**kind, runs, options);
  if (!picture.ok()) return picture.status();
  return messages::PlotAnswer{*std::move(picture), traces.front()->id, PlotChoices()};
}

}  // namespace

extern const RequestSpec kPlotRequest = LongRequest<&ShowPlot>("tasklens/plot");

}  // namespace tasklens
