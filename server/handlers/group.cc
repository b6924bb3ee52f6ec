// SPDX-License-Identifier: Apache-2.0
// tasklens/group: the groups of the task graph around a task, or the tasks of a group.
#include <algorithm>
#include <span>

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

// The line that submitted all of them, or null.
json OneSite(const TraceModel& model, const std::vector<uint32_t>& tasks) {
  const uint32_t site = model.tasks.site[tasks.front()];
  const bool is_one = std::all_of(tasks.begin(), tasks.end(),
                                  [&](uint32_t task) { return model.tasks.site[task] == site; });
  return is_one && site < model.sites.size() ? json(site) : json();
}

json GroupsAnswer(const std::vector<const GraphSet*>& way) {
  json groups = json::array();
  for (const GraphSet* group : way) groups.push_back(group->node.id);
  return {{"groups", std::move(groups)}};
}

// The way to a group and its tasks; null where there is no such group.
json TasksAnswer(const TraceModel& model, const std::vector<const GraphSet*>& way,
                 const Params& params) {
  if (way.empty() || way.back()->node.id != params.id) return nullptr;
  const std::vector<uint32_t>& tasks = way.back()->members;
  json answer = GroupsAnswer(way);
  answer["count"] = tasks.size();
  answer["site"] = OneSite(model, tasks);
  answer["tasks"] = std::span(tasks).first(std::min<size_t>(tasks.size(), params.limit));
  if (params.marks) {
    TaskMarks marks(model);
    for (const uint32_t task : tasks) marks.Add(task);
    answer["marks"] = marks.Take();
  }
  return answer;
}

Result<json> Group(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const TraceModel& model = *trace.model;
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
  json answer;
  if (!trace.views->FindGroups(query, call.stop(), [&](GroupFinder& finder) {
        answer = params.task != kNone
                     ? GroupsAnswer(finder.Around(params.task, call.stop()))
                     : TasksAnswer(model, finder.WayTo(params.id, call.stop()), params);
      }))
    return Cancelled();
  if (answer.is_null())
    return Status(ErrorCode::kNotFound, "the graph of the trace " + trace.id + " has no group '" +
                                            params.id + "' when it is grouped like this");
  answer["trace"] = trace.id;
  return answer;
}

}  // namespace

extern const RequestSpec kGroupRequest;
const RequestSpec kGroupRequest = Request<&Group>("tasklens/group");

}  // namespace tasklens
