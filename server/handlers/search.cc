// SPDX-License-Identifier: Apache-2.0
// tasklens/search: tasks and lines by a few letters or a number.
#include "analysis/search/search.h"

#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace, text;
  uint32_t limit = 200;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Required("text", text);
    fields.Optional("limit", limit);
  }
};

Result<json> SearchTrace(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  const SearchResult found = Search(*(*trace)->model, params.text, params.limit, call.stop());
  if (call.IsCancelled()) return Cancelled();
  json tasks = json::array(), sites = json::array();
  for (const uint32_t task : found.tasks) tasks.push_back(TaskJson(**trace, task));
  for (const uint32_t site : found.sites) sites.push_back(SiteJson(session, **trace, site));
  return json{{"trace", (*trace)->id},
              {"count", found.count},
              {"tasks", std::move(tasks)},
              {"sites", std::move(sites)}};
}

}  // namespace

extern const RequestSpec kSearchRequest;
const RequestSpec kSearchRequest = Request<&SearchTrace>("tasklens/search");

}  // namespace tasklens
