// SPDX-License-Identifier: Apache-2.0
// tasklens/codelet: the tasks of a codelet, by number.
#include "analysis/statistics.h"
#include "server/handlers/columns.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace, codelet;
  uint32_t first = 0, limit = 10'000;
  bool internal = false, marks = false;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Required("codelet", codelet);
    fields.Optional("first", first);
    fields.Optional("limit", limit);
    fields.Optional("internal", internal);
    fields.Optional("marks", marks);
  }
};

Result<json> Codelet(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const TraceModel& model = *trace.model;
  const auto selection = trace.views->Selection(params.internal, call.stop());
  if (!selection) return Cancelled();
  // Tasks without a name are called as in tables.
  const StringId known = model.strings.Find(params.codelet);
  const bool is_unnamed =
      params.codelet == StatisticsLabel(model, StatisticsBy::kCodelet, StringId{});
  const auto is_its_own = [&](uint32_t task) {
    const StringId name = model.tasks.name[task];
    return selection->is_shown[task] && (name == StringId{} ? is_unnamed : name == known);
  };
  TaskMarks marks(model);
  json::array_t tasks;
  uint64_t count = 0;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (!is_its_own(task)) continue;
    marks.Add(task);
    if (count >= params.first && tasks.size() < params.limit) tasks.emplace_back(task);
    ++count;
  }
  if (count == 0)
    return Status(ErrorCode::kNotFound,
                  "the trace " + trace.id + " has no task of a codelet '" + params.codelet + "'");
  json answer = {{"trace", trace.id}, {"count", count}, {"tasks", std::move(tasks)}};
  if (params.marks) answer["marks"] = marks.Take();
  return answer;
}

}  // namespace

extern const RequestSpec kCodeletRequest;
const RequestSpec kCodeletRequest = Request<&Codelet>("tasklens/codelet");

}  // namespace tasklens
