// SPDX-License-Identifier: Apache-2.0
// tasklens/criticalPath: the tasks that the length of the run hung on.
#include "analysis/critical_path.h"

#include <algorithm>
#include <vector>

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

// A bit for each task, eight a byte, the lowest first.
json MarksJson(size_t tasks, const CriticalPath& path) {
  std::vector<uint8_t> bytes((tasks + 7) / 8);
  for (const CriticalStep& step : path.steps)
    bytes[step.task / 8] = static_cast<uint8_t>(bytes[step.task / 8] | 1u << step.task % 8);
  NumberColumn column;
  column.Reserve(bytes.size());
  for (const uint8_t byte : bytes) column.Add(static_cast<int8_t>(byte));
  return column.Take(true);
}

Result<json> ShowCriticalPath(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.Find(params.trace);
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
  if (params.marks) answer["marks"] = MarksJson((*trace)->model->tasks.size(), *path);
  return answer;
}

}  // namespace

extern const RequestSpec kCriticalPathRequest;
const RequestSpec kCriticalPathRequest = LongRequest<&ShowCriticalPath>("tasklens/criticalPath");

}  // namespace tasklens
