// SPDX-License-Identifier: Apache-2.0
// tasklens/criticalPath: the tasks that determined the length of the run.
#include "analysis/critical_path.h"

#include <algorithm>
#include <span>

#include "server/answers/answers.h"
#include "server/handlers/request.h"
#include "server/handlers/task_marks.h"

namespace tasklens {
namespace {

using messages::CriticalPathAnswer, messages::CriticalPathParams;

Result<CriticalPathAnswer> ShowCriticalPath(const Session& session,
                                            const CriticalPathParams& params, const Call& call) {
  const auto trace = session.FindWhole(params.trace);
  if (!trace.ok()) return trace.status();
  const auto path = (*trace)->views->Critical(call.stop());
  if (!path) return Cancelled();
  const TraceModel& model = *(*trace)->model;
  const size_t first = std::min<size_t>(params.first, path->steps.size());
  const std::span behind = std::span(path->steps).subspan(first);
  CriticalPathAnswer answer{{.work_ns = path->work_ns, .wait_ns = path->wait_ns},
                            (*trace)->id,
                            path->steps.size(),
                            first};
  for (const CriticalStep& step : behind.first(std::min<size_t>(params.limit, behind.size())))
    answer.steps.push_back(PathStepMessage(model, step));
  if (params.marks) {
    TaskMarks marks(model);
    for (const CriticalStep& step : path->steps) marks.Add(step.task);
    answer.marks = marks.Take();
  }
  return answer;
}

}  // namespace

extern const RequestSpec kCriticalPathRequest =
    LongRequest<&ShowCriticalPath>("tasklens/criticalPath");

}  // namespace tasklens
