// SPDX-License-Identifier: Apache-2.0
// tasklens/plot: histograms, activity, messages and more of open traces, as a picture.
#include "server/handlers/request.h"
#include "server/pictures/plot_answer.h"
#include "server/protocol/fields.h"

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

Result<json> ShowPlot(const Session& session, const Params& params, const Call&) {
  const auto kind = FindPlotKind(params.kind);
  if (!kind.ok()) return kind.status();
  PlotOptions options;
  options.by = params.by;
  options.codelets = params.codelets;
  if (Status s = CheckPlotOptions(**kind, options); !s.ok())
    return Status(s.code(), "params: " + s.message());
  if (params.theme == "dark")
    options.theme = kDarkPlot;
  else if (params.theme == "page")
    options.theme = kPagePlot;
  else if (params.theme != "light")
    return Status(ErrorCode::kInvalidArgument,
                  "params.theme: '" + params.theme + "' is none of light, dark, page");
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
  Result<json> answer = PlotAnswer(**kind, runs, options);
  if (!answer.ok()) return answer.status();
  (*answer)["trace"] = traces.front()->id;
  (*answer)["kinds"] = PlotKindsAnswer();
  return answer;
}

}  // namespace

extern const RequestSpec kPlotRequest;
const RequestSpec kPlotRequest = LongRequest<&ShowPlot>("tasklens/plot");

}  // namespace tasklens
