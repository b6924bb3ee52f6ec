// SPDX-License-Identifier: Apache-2.0
// tasklens/tasksAt: the tasks that a line submitted, in the newest trace that knows the line.
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
    json rows = json::array();
    uint64_t count = 0;
    const TaskTable& tasks = trace.model->tasks;
    for (uint32_t task = 0; task < tasks.size(); ++task) {
      if (task % 4096 == 0 && call.IsCancelled()) return Status(ErrorCode::kCancelled, "cancelled");
      if (tasks.site[task] >= is_here.size() || !is_here[tasks.site[task]]) continue;
      if (count++ < params.limit) rows.push_back(TaskJson(trace, task));
    }
    return json{{"trace", trace.id}, {"count", count}, {"tasks", std::move(rows)}};
  }
  return json{{"trace", nullptr}, {"count", 0}, {"tasks", json::array()}};
}

}  // namespace

extern const RequestSpec kTasksAtRequest;
const RequestSpec kTasksAtRequest = Request<&TasksAt>("tasklens/tasksAt");

}  // namespace tasklens
