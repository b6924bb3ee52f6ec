// SPDX-License-Identifier: Apache-2.0
// tasklens/group: the groups of the task graph around a task, or the tasks of a group.
#include <algorithm>
#include <span>

#include "analysis/graph_split.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace, id;
  std::vector<std::string> group;
  uint32_t task = kNone;
  uint32_t limit = 100'000;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("group", group);
    fields.Optional("task", task);
    fields.Optional("id", id);
    fields.Optional("limit", limit);
    for (const std::string& name : group)
      if (!ParseGroupBy(name))
        fields.Fail("group",
                    "takes iteration, codelet, site, levels, data and worker, not '" + name + "'");
    if ((task == kNone) == id.empty()) fields.Fail("task", "is needed, or id, and not both");
  }
};

// The groups from the outermost to the innermost of which `holds` is true, split as tasklens/graph
// splits them while nothing else is open.
template <class Holds>
std::vector<GraphSet> Descend(const TraceModel& model, const Topology& topology,
                              const GraphQuery& query, Stop stop, const Holds& holds) {
  GraphSplitter splitter(model, topology, query, stop);
  GraphSet whole = splitter.Whole();
  std::vector<GraphSet> path;
  size_t room = query.max_nodes;
  while (true) {
    const GraphSet& outer = path.empty() ? whole : path.back();
    std::vector<GraphSet> parts = splitter.Split(outer, room);
    const auto found = std::find_if(parts.begin(), parts.end(), holds);
    // A group of one is shown as its task.
    if (found == parts.end() || found->members.size() < 2) return path;
    room -= std::min(room, parts.size() - 1);
    path.push_back(std::move(*found));
  }
}

// The line that submitted all of them, or null.
json OneSite(const TraceModel& model, const std::vector<uint32_t>& tasks) {
  const uint32_t site = model.tasks.site[tasks.front()];
  const bool is_one = std::all_of(tasks.begin(), tasks.end(),
                                  [&](uint32_t task) { return model.tasks.site[task] == site; });
  return is_one && site < model.sites.size() ? json(site) : json();
}

Result<json> Group(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const TraceModel& model = *trace.model;
  if (params.task != kNone)
    if (Status s = CheckTask(trace, params.task); !s.ok()) return s;
  const auto topology = trace.views->Levels(call.stop());
  const auto selection = trace.views->Selection(false, call.stop());
  if (!topology || !selection) return Cancelled();
  GraphQuery query;
  query.selection = selection.get();
  if (!params.group.empty()) query.nesting.clear();
  for (const std::string& name : params.group) query.nesting.push_back(*ParseGroupBy(name));

  const std::vector<GraphSet> path =
      Descend(model, *topology, query, call.stop(), [&](const GraphSet& part) {
        if (params.task != kNone)
          return std::find(part.members.begin(), part.members.end(), params.task) !=
                 part.members.end();
        // The id of a part begins with that of its group.
        return params.id == part.node.id || params.id.starts_with(part.node.id + "/");
      });
  if (call.IsCancelled()) return Cancelled();
  json groups = json::array();
  for (const GraphSet& group : path) groups.push_back(group.node.id);
  if (params.task != kNone) return json{{"trace", trace.id}, {"groups", std::move(groups)}};

  const auto group = std::find_if(path.begin(), path.end(),
                                  [&](const GraphSet& one) { return one.node.id == params.id; });
  if (group == path.end())
    return Status(ErrorCode::kNotFound, "the graph of the trace " + trace.id + " has no group '" +
                                            params.id + "' when it is grouped like this");
  const std::vector<uint32_t>& tasks = group->members;
  return json{{"trace", trace.id},
              {"groups", std::move(groups)},
              {"count", tasks.size()},
              {"site", OneSite(model, tasks)},
              {"tasks", std::span(tasks).first(std::min<size_t>(tasks.size(), params.limit))}};
}

}  // namespace

extern const RequestSpec kGroupRequest;
const RequestSpec kGroupRequest = Request<&Group>("tasklens/group");

}  // namespace tasklens
