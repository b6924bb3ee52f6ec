// SPDX-License-Identifier: Apache-2.0
// tasklens/group: the groups of the task graph around a task, or the tasks of a group.
#include <algorithm>
#include <span>

#include "analysis/graph_view.h"
#include "analysis/group_finder.h"
#include "server/handlers/graph_focus.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/task_marks.h"

namespace tasklens {
namespace {

using messages::GroupAnswer, messages::GroupParams;

// The line that submitted all of the tasks; nullopt if there are several.
std::optional<uint64_t> OneSite(const TraceModel& model, const std::vector<uint32_t>& tasks) {
  const uint32_t site = model.tasks.site[tasks.front()];
  const bool is_one = std::all_of(tasks.begin(), tasks.end(),
                                  [&](uint32_t task) { return model.tasks.site[task] == site; });
  return is_one && site < model.sites.size() ? KnownRow(site) : std::nullopt;
}

GroupAnswer GroupsOf(const OpenTrace& trace, const std::vector<const GraphSet*>& way) {
  GroupAnswer answer{.trace = trace.id};
  for (const GraphSet* group : way) answer.groups.push_back(group->node.id);
  return answer;
}

// The path to a group, and its tasks; nullopt if there is no such group.
std::optional<GroupAnswer> TasksOf(const OpenTrace& trace, const std::vector<const GraphSet*>& way,
                                   const GroupParams& params) {
  if (way.empty() || way.back()->node.id != params.id) return std::nullopt;
  const std::vector<uint32_t>& tasks = way.back()->members;
  GroupAnswer answer = GroupsOf(trace, way);
  answer.count = tasks.size();
  answer.site = OneSite(*trace.model, tasks);
  const auto shown = std::span(tasks).first(std::min<size_t>(tasks.size(), params.limit));
  answer.tasks.emplace(shown.begin(), shown.end());
  if (params.marks) answer.marks = TaskMarks::Of(*trace.model, tasks);
  return answer;
}

Result<GroupAnswer> Group(const Session& session, const GroupParams& params, const Call& call) {
  const Result<GraphFocus> focus = FocusOf(params, params.around, "around");
  if (!focus.ok()) return focus.status();
  if (params.task.has_value() != params.id.empty())
    return Status(ErrorCode::kInvalidArgument, "params needs either task or id");
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  if (params.task)
    if (Status s = CheckTask(trace, *params.task); !s.ok()) return s;
  const auto selection = trace.views->Selection(params.internal, call.stop());
  if (!selection) return Cancelled();
  GraphQuery query;
  query.selection = selection.get();
  if (!params.group.empty()) query.nesting.clear();
  for (const std::string& name : params.group) query.nesting.push_back(*ParseGroupBy(name));
  if (!focus->is_whole()) {
    Result<std::vector<uint32_t>> tasks = TasksInFocus(trace, *selection, *focus, call);
    if (!tasks.ok()) return tasks.status();
    query.only = std::move(*tasks);
  }
  std::optional<GroupAnswer> answer;
  if (!trace.views->FindGroups(query, call.stop(), [&](GroupFinder& finder) {
        answer = params.task ? GroupsOf(trace, finder.Around(*params.task, call.stop()))
                             : TasksOf(trace, finder.WayTo(params.id, call.stop()), params);
      }))
    return Cancelled();
  if (!answer)
    return Status(ErrorCode::kNotFound, "the graph of the trace " + trace.id + " has no group '" +
                                            params.id + "' with this grouping");
  return *std::move(answer);
}

}  // namespace

extern const RequestSpec kGroupRequest = Request<&Group>("tasklens/group");

}  // namespace tasklens
