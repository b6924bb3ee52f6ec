// SPDX-License-Identifier: Apache-2.0
// tasklens/criticalPath: the tasks that the length of the run hung on.
#include "analysis/critical_path.h"

#include <algorithm>

#include "server/answers/answers.h"
#include "server/handlers/columns.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  uint32_t first = 0, limit = 1000;
  bool marks = false;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("first", first);
    fields.Optional("limit", limit);
    fields.Optional("marks", marks);
  }
};

Result<json> ShowCriticalPath(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.FindWhole(params.trace);
  if (!trace.ok()) return trace.status();
  const auto path = (*trace)->views->Critical(call.stop());
  if (!path) return Cancelled();
  CriticalPath page;
  page.work_ns = path->work_ns;
  page.wait_ns = path->wait_ns;
  const size_t first = std::min<size_t>(params.first, path->steps.size());
  const size_t count = std::min<size_t>(params.limit, path->steps.size() - first);
  const auto begin = path->steps.begin() + static_cast<std::ptrdiff_t>(first);
  page.steps.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  json answer = CamelCase(CriticalPathAnswer(*(*trace)->model, page));
  answer["trace"] = (*trace)->id;
  answer["count"] = path->steps.size();
  answer["first"] = first;
  if (params.marks) {
    TaskMarks marks(*(*trace)->model);
    for (const CriticalStep& step : path->steps) marks.Add(step.task);
    Write(marks.Take(), answer["marks"]);
  }
  return answer;
}

}  // namespace

extern const RequestSpec kCriticalPathRequest;
const RequestSpec kCriticalPathRequest = LongRequest<&ShowCriticalPath>("tasklens/criticalPath");

}  // namespace tasklens
