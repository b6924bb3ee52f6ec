// SPDX-License-Identifier: Apache-2.0
// tasklens/codelet: the tasks of a codelet, by number.
#include "analysis/graph_view.h"
#include "analysis/statistics.h"
#include "server/handlers/request.h"
#include "server/handlers/task_marks.h"

namespace tasklens {
namespace {

using messages::CodeletAnswer, messages::CodeletParams;

Result<CodeletAnswer> Codelet(const Session& session, const CodeletParams& params,
                              const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const TraceModel& model = *trace.model;
  const auto selection = trace.views->Selection(params.internal, call.stop());
  if (!selection) return Cancelled();
  // Tasks without a name have the same name here as in tables.
  const StringId known = model.strings.Find(params.codelet);
  const bool is_unnamed =
      params.codelet == StatisticsLabel(model, StatisticsBy::kCodelet, StringId{});
  const auto is_its_own = [&](uint32_t task) {
    const StringId name = model.tasks.name[task];
    return selection->is_shown[task] && (name == StringId{} ? is_unnamed : name == known);
  };
  TaskMarks marks(model);
  CodeletAnswer answer{.trace = trace.id};
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (!is_its_own(task)) continue;
    marks.Add(task);
    if (answer.count >= params.first && answer.tasks.size() < params.limit)
      answer.tasks.push_back(task);
    ++answer.count;
  }
  if (answer.count == 0)
    return Status(ErrorCode::kNotFound,
                  "the trace " + trace.id + " has no task of a codelet '" + params.codelet + "'");
  if (params.marks) answer.marks = marks.Take();
  return answer;
}

}  // namespace

extern const RequestSpec kCodeletRequest = Request<&Codelet>("tasklens/codelet");

}  // namespace tasklens
