// SPDX-License-Identifier: Apache-2.0
// tasklens/tasksAt: the tasks that a line submitted, in the newest trace that knows the line.
#include <algorithm>

#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

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

std::string PathOfDocument(const Session& session, const std::string& uri) {
  const std::string key = DocumentKey(uri);
  const auto document = session.FindDocument(key);
  return document ? document->path : key;
}

Result<json> TasksAt(const Session& session, const Params& params, const Call& call) {
  const auto wanted = session.Find(params.trace);
  if (!wanted.ok()) return wanted.status();
  const std::string path = PathOfDocument(session, params.uri);
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it) {
    const OpenTrace& trace = **it;
    if (!params.trace.empty() && *it != *wanted) continue;
    std::vector<bool> is_here(trace.model->sites.size());
    bool any = false;
    for (const uint32_t site : trace.sources->SitesIn(path))
      if (trace.model->sites.line[site] == uint64_t{params.line} + 1) is_here[site] = any = true;
    if (!any) continue;
    const auto by_site = trace.views->TasksBySite(call.stop());
    if (!by_site) return Cancelled();
    std::vector<uint32_t> tasks;
    for (uint32_t site = 0; site < is_here.size(); ++site)
      if (is_here[site])
        tasks.insert(tasks.end(), (*by_site)[site].begin(), (*by_site)[site].end());
    std::sort(tasks.begin(), tasks.end());
    json rows = json::array();
    for (size_t i = 0; i < std::min<size_t>(tasks.size(), params.limit); ++i)
      rows.push_back(TaskJson(trace, tasks[i]));
    return json{{"trace", trace.id}, {"count", tasks.size()}, {"tasks", std::move(rows)}};
  }
  return json{{"trace", nullptr}, {"count", 0}, {"tasks", json::array()}};
}

}  // namespace

extern const RequestSpec kTasksAtRequest;
const RequestSpec kTasksAtRequest = Request<&TasksAt>("tasklens/tasksAt");

}  // namespace tasklens
