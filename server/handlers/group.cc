// SPDX-License-Identifier: Apache-2.0
// tasklens/group: the groups of the task graph around a task, or the tasks of a group.
#include <algorithm>
#include <span>

#include "analysis/graph_view.h"
#include "analysis/group_finder.h"
#include "server/handlers/columns.h"
#include "server/handlers/graph_focus.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace, id;
  std::vector<std::string> group;
  uint32_t task = kNone;
  uint32_t limit = 100'000;
  bool internal = false, marks = false;
  GraphFocus focus;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("group", group);
    fields.Optional("task", task);
    fields.Optional("id", id);
    fields.Optional("limit", limit);
    fields.Optional("internal", internal);
    fields.Optional("marks", marks);
    focus.Visit(fields, "around");
    for (const std::string& name : group)
      if (!ParseGroupBy(name))
        fields.Fail("group",
                    "takes iteration, codelet, site, levels, data and worker, not '" + name + "'");
    if ((task == kNone) == id.empty()) fields.Fail("task", "is needed, or id, and not both");
  }
};

using messages::GroupAnswer;

// The line that submitted all of them.
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

// The way to a group and its tasks; nothing where there is no such group.
std::optional<GroupAnswer> TasksOf(const OpenTrace& trace, const std::vector<const GraphSet*>& way,
                                   const Params& params) {
  if (way.empty() || way.back()->node.id != params.id) return std::nullopt;
  const std::vector<uint32_t>& tasks = way.back()->members;
  GroupAnswer answer = GroupsOf(trace, way);
  answer.count = tasks.size();
  answer.site = OneSite(*trace.model, tasks);
  const auto shown = std::span(tasks).first(std::min<size_t>(tasks.size(), params.limit));
  answer.tasks.emplace(shown.begin(), shown.end());
  if (params.marks) {
    TaskMarks marks(*trace.model);
    for (const uint32_t task : tasks) marks.Add(task);
    answer.marks = marks.Take();
  }
  return answer;
}

Result<GroupAnswer> Group(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  if (params.task != kNone)
    if (Status s = CheckTask(trace, params.task); !s.ok()) return s;
  const auto selection = trace.views->Selection(params.internal, call.stop());
  if (!selection) return Cancelled();
  GraphQuery query;
  query.selection = selection.get();
  if (!params.group.empty()) query.nesting.clear();
  for (const std::string& name : params.group) query.nesting.push_back(*ParseGroupBy(name));
  if (!params.focus.is_whole()) {
    Result<std::vector<uint32_t>> tasks = TasksInFocus(trace, *selection, params.focus, call);
    if (!tasks.ok()) return tasks.status();
    query.only = std::move(*tasks);
  }
  std::optional<GroupAnswer> answer;
  if (!trace.views->FindGroups(query, call.stop(), [&](GroupFinder& finder) {
        answer = params.task != kNone
                     ? GroupsOf(trace, finder.Around(params.task, call.stop()))
                     : TasksOf(trace, finder.WayTo(params.id, call.stop()), params);
      }))
    return Cancelled();
  if (!answer)
    return Status(ErrorCode::kNotFound, "the graph of the trace " + trace.id + " has no group '" +
                                            params.id + "' when it is grouped like this");
  return *std::move(answer);
}

}  // namespace

extern const RequestSpec kGroupRequest;
const RequestSpec kGroupRequest = Request<&Group>("tasklens/group");

}  // namespace tasklens
