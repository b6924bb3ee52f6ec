// SPDX-License-Identifier: Apache-2.0
// textDocument/codeLens: at each submission site of the newest trace that knows the file, its cost
// and the change since the run before; at a line that waits, for how long; at `main`, run traced.
// The protocol has no capability for lenses, so all clients get them; old ones do not show them.
#include "server/handlers/document_params.h"
#include "server/handlers/handlers.h"
#include "server/handlers/main_lens.h"
#include "server/handlers/present_lines.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

Result<json> CodeLens(const Session& session, const InDocument& params, const Call&) {
  json lenses = json::array();
  const std::string path = PathOfDocument(session, params.uri);
  const auto text = TextOf(session, path);
  if (text.ok()) lenses = MainLenses(session, path, **text);
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it) {
    const OpenTrace& trace = **it;
    const std::vector<uint32_t>& sites = trace.sources->SitesIn(path);
    if (sites.empty()) continue;
    const uint32_t lines = text.ok() ? (*text)->line_count() : 0;
    const PresentLines present(session, trace, path);
    for (const uint32_t site : sites) {
      const uint32_t row = trace.cost_of[site];
      std::string title =
          row != kNone ? CostTitle(trace, trace.costs[row]) : WaitTitle(trace, site);
      if (title.empty() || trace.model->sites.line[site] == 0) continue;
      const PresentLines::Line now = present.Of(trace.model->sites.line[site] - 1);
      // A line that was removed has no place for a lens.
      if (now.state == PresentLines::State::kGone || now.line >= lines) continue;
      if (row != kNone)
        if (const std::string change = ChangeText(trace, trace.costs[row]); !change.empty())
          title += " · " + change;
      title += PresentLines::Remark(now.state);
      if (trace.diagnostics.Count("model_recording_off") > 0) title += " · recorded in part";
      lenses.push_back({{"range", ToJson(RangeOfLine(session, path, now.line))},
                        {"command",
                         {{"title", std::move(title)},
                          {"command", "tasklens.showSite"},
                          {"arguments", {{{"trace", trace.id}, {"site", site}}}}}}});
    }
    break;
  }
  return lenses;
}

}  // namespace

extern const RequestSpec kCodeLensRequest = Request<&CodeLens>("textDocument/codeLens");

}  // namespace tasklens
