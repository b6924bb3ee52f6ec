// SPDX-License-Identifier: Apache-2.0
// textDocument/codeLens: at each submission site of the newest trace that knows the file, what it
// cost. Clients need not announce that they can show lenses; old ones do not.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct TextDocument {
  std::string uri;
  void Visit(Fields& fields) { fields.Required("uri", uri); }
};
struct Params {
  TextDocument document;
  void Visit(Fields& fields) { fields.Required("textDocument", document); }
};

Result<json> CodeLens(const Session& session, const Params& params, const Call&) {
  json lenses = json::array();
  const std::string key = DocumentKey(params.document.uri);
  const auto document = session.FindDocument(key);
  const std::string path = document ? document->path : key;
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it) {
    const OpenTrace& trace = **it;
    const std::vector<uint32_t>& sites = trace.sources->SitesIn(path);
    if (sites.empty()) continue;
    const auto text = TextOf(session, path);
    const uint32_t lines = text.ok() ? (*text)->line_count() : 0;
    const bool is_old = IsOlderThanFile(session, trace, path);
    for (const uint32_t site : sites) {
      const uint32_t row = trace.cost_of[site];
      const uint32_t line = trace.model->sites.line[site];
      // A line that is not there any more has no place for a lens.
      if (row == kNone || line == 0 || line > lines) continue;
      std::string title = CostTitle(trace, trace.costs[row]);
      if (is_old) title += " · older than the file";
      lenses.push_back({{"range", ToJson(RangeOfLine(session, path, line - 1))},
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

extern const RequestSpec kCodeLensRequest;
const RequestSpec kCodeLensRequest = Request<&CodeLens>("textDocument/codeLens");

}  // namespace tasklens
