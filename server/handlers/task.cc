// SPDX-License-Identifier: Apache-2.0
// tasklens/task: all there is to know about one task.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

// A task may have a million neighbours; a panel shows some.
constexpr size_t kMaxNeighbours = 1000;

struct Params {
  std::string trace;
  uint32_t task = 0;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Required("task", task);
  }
};

json NeighboursJson(const TraceModel& model, std::span<const DepEnd> ends) {
  json rows = json::array();
  for (const DepEnd& end : ends.first(std::min(ends.size(), kMaxNeighbours)))
    rows.push_back({{"task", end.task},
                    {"name", model.TaskNameOf(end.task)},
                    {"label", model.str(end.label)}});
  return {{"count", ends.size()}, {"tasks", std::move(rows)}};
}

json DataJson(const TraceModel& model, uint32_t task) {
  json rows = json::array();
  for (const TaskAccess& access : model.accesses[task]) {
    const bool is_known = access.handle < model.handles.size();
    rows.push_back({{"mode", access.mode},
                    {"sizeBytes", access.size_bytes},
                    {"name", is_known ? model.str(model.handles.name[access.handle]) : ""}});
  }
  return rows;
}

Result<json> ShowTask(const Session& session, const Params& params, const Call&) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (Status s = CheckTask(**trace, params.task); !s.ok()) return s;
  const TraceModel& model = *(*trace)->model;
  const TaskTable& tasks = model.tasks;
  const uint32_t task = params.task;
  json reply = TaskJson(**trace, task);
  reply["trace"] = (*trace)->id;
  reply["model"] = model.str(tasks.model[task]);
  reply["priority"] = tasks.priority[task];
  reply["tag"] = tasks.has_tag[task] ? json(tasks.tag[task]) : json();
  reply["iteration"] = tasks.iteration[task] >= 0 ? json(tasks.iteration[task]) : json();
  reply["sizeBytes"] = tasks.size_bytes[task];
  reply["flops"] = tasks.flops[task];
  for (const auto& [name, ns] :
       {std::pair("submitNs", tasks.submit_ns[task]), std::pair("readyNs", tasks.ready_ns[task])})
    reply[name] = ns == kNever ? json() : json(ns);
  reply["predecessors"] = NeighboursJson(model, model.predecessors[task]);
  reply["successors"] = NeighboursJson(model, model.successors[task]);
  reply["data"] = DataJson(model, task);
  reply["source"] = SiteJson(session, **trace, tasks.site[task]);
  return reply;
}

}  // namespace

extern const RequestSpec kTaskRequest;
const RequestSpec kTaskRequest = Request<&ShowTask>("tasklens/task");

}  // namespace tasklens
