// SPDX-License-Identifier: Apache-2.0
// tasklens/tasksAt: the tasks that a line submitted, in the newest trace that knows the line.
#include <algorithm>

#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace, uri;
  uint32_t line = 0;
  uint32_t limit = 1000;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Required("uri", uri);
    fields.Required("line", line);
    fields.Optional("limit", limit);
  }
};

Result<json> TasksAt(const Session& session, const Params& params, const Call& call) {
  const auto wanted = session.Find(params.trace);
  if (!wanted.ok()) return wanted.status();
  const std::string path = PathOfDocument(session, params.uri);
  const SitesAtLine at =
      FindSitesAt(session, path, params.line, params.trace.empty() ? nullptr : *wanted);
  if (!at.trace) return json{{"trace", nullptr}, {"count", 0}, {"tasks", json::array()}};
  const auto by_site = at.trace->views->TasksBySite(call.stop());
  if (!by_site) return Cancelled();
  std::vector<uint32_t> tasks;
  for (const uint32_t site : at.sites)
    tasks.insert(tasks.end(), (*by_site)[site].begin(), (*by_site)[site].end());
  std::sort(tasks.begin(), tasks.end());
  json rows = json::array();
  for (size_t i = 0; i < std::min<size_t>(tasks.size(), params.limit); ++i)
    rows.push_back(TaskJson(*at.trace, tasks[i]));
  return json{{"trace", at.trace->id}, {"count", tasks.size()}, {"tasks", std::move(rows)}};
}

}  // namespace

extern const RequestSpec kTasksAtRequest;
const RequestSpec kTasksAtRequest = Request<&TasksAt>("tasklens/tasksAt");

}  // namespace tasklens
