// SPDX-License-Identifier: Apache-2.0
// tasklens/plot: histograms, activity, messages and more of open traces, as a picture.
#include "server/handlers/request.h"
#include "server/pictures/plots.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace, kind = "activity", by = "codelet", theme = "light";
  std::vector<std::string> others, codelets;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("others", others);
    fields.Optional("kind", kind);
    fields.Optional("by", by);
    fields.Optional("codelets", codelets);
    fields.Optional("theme", theme);
  }
};

Status NoChoice(std::string_view name, const std::string& value, std::string_view choices) {
  return {ErrorCode::kInvalidArgument,
          "params." + std::string(name) + ": '" + value + "' is none of " + std::string(choices)};
}

Result<json> ShowPlot(const Session& session, const Params& params, const Call&) {
  const auto kind = FindPlotKind(params.kind);
  if (!kind.ok()) return kind.status();
  PlotOptions options;
  options.by = params.by;
  options.codelets = params.codelets;
  if (params.by != "codelet" && params.by != "size" && params.by != "worker")
    return NoChoice("by", params.by, "codelet, size, worker");
  if (params.theme != "light" && params.theme != "dark")
    return NoChoice("theme", params.theme, "light, dark");
  if (params.theme == "dark") options.theme = kDarkPlot;
  std::vector<std::shared_ptr<const OpenTrace>> traces;
  std::vector<std::string> ids = {params.trace};
  ids.insert(ids.end(), params.others.begin(), params.others.end());
  std::vector<PlotRun> runs;
  for (const std::string& id : ids) {
    const auto trace = session.FindWhole(id);
    if (!trace.ok()) return trace.status();
    traces.push_back(*trace);
    runs.push_back({(*trace)->title, (*trace)->model.get()});
  }
  json answer = {{"trace", traces.front()->id}, {"kind", (*kind)->name}};
  json& kinds = answer["kinds"] = json::array();
  for (const PlotKind& each : PlotKinds())
    kinds.push_back({{"name", each.name}, {"summary", each.summary}});
  const auto sheets = (*kind)->draw(runs, options);
  // A run that has none of it is no mistake of who asks: a page says so in place of the picture.
  if (!sheets.ok() && sheets.status().code() != ErrorCode::kNotFound) return sheets.status();
  answer["svg"] = sheets.ok() ? json(PlotText(*sheets, PlotFormat::kSvg)) : json();
  answer["missing"] = sheets.ok() ? json() : json(sheets.status().message());
  return answer;
}

}  // namespace

extern const RequestSpec kPlotRequest;
const RequestSpec kPlotRequest = LongRequest<&ShowPlot>("tasklens/plot");

}  // namespace tasklens
