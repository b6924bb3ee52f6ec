// SPDX-License-Identifier: Apache-2.0
// textDocument/inlayHint: after each submission site, the number of tasks and their mean duration.
#include "analysis/text.h"
#include "server/handlers/document_params.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

Result<json> InlayHint(const Session& session, const InRange& params, const Call&) {
  json hints = json::array();
  const std::string path = PathOfDocument(session, params.uri);
  const auto trace = TraceOfFile(session, path);
  if (!trace) return hints;
  const PresentLines present(session, *trace, path);
  for (const uint32_t site : trace->sources->SitesIn(path)) {
    const uint32_t row = trace->cost_of[site], line = trace->model->sites.line[site];
    if (row == kNone || line == 0 || trace->costs[row].ran == 0) continue;
    const PresentLines::Line now = present.Of(line - 1);
    // A hint appears within the text, so it is shown only if it is certainly right.
    if (now.state != PresentLines::State::kExact) continue;
    if (now.line < params.range.start.line || now.line > params.range.end.line) continue;
    const SiteCost& cost = trace->costs[row];
    const Position end = RangeOfLine(session, path, now.line).end;
    hints.push_back({{"position", {{"line", end.line}, {"character", end.column}}},
                     {"label", CountText(cost.runs) + " × " + DurationText(cost.MeanNs())},
                     {"tooltip", CostTitle(*trace, cost)},
                     {"paddingLeft", true}});
  }
  return hints;
}

}  // namespace

extern const RequestSpec kInlayHintRequest = Request<&InlayHint>("textDocument/inlayHint");

}  // namespace tasklens
