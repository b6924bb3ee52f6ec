// SPDX-License-Identifier: Apache-2.0
// tasklens/task: all there is to know about one task.
#include <cstdio>

#include "analysis/task_details.h"
#include "server/handlers/columns.h"
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

template <class Ends>
json NeighboursJson(const OpenTrace& trace, const Ends& ends) {
  json rows = json::array();
  for (const DepEnd& end : ends.first(std::min(ends.size(), kMaxNeighbours))) {
    rows.push_back(TaskJson(trace, end.task));
    rows.back()["label"] = trace.model->str(end.label);
  }
  return {{"count", ends.size()}, {"tasks", std::move(rows)}};
}

json DataJson(const TraceModel& model, const TaskDetails& details) {
  json rows = json::array();
  for (size_t i = 0; i < details.data.size(); ++i) {
    const TaskData& data = details.data[i];
    const bool is_known = data.handle < model.handles.size();
    rows.push_back({{"handle", is_known ? json(data.handle) : json()},
                    {"mode", data.mode},
                    {"sizeBytes", data.size_bytes},
                    {"numaNodes", data.numa_nodes},
                    {"name", is_known ? model.str(model.handles.name[data.handle]) : ""},
                    {"text", i < details.parameters.size() ? details.parameters[i] : ""},
                    {"address", json()},
                    {"coordinates", json::array()}});
    if (!is_known) continue;
    char address[24];
    std::snprintf(address, sizeof address, "0x%llx",
                  static_cast<unsigned long long>(model.handles.address[data.handle]));
    rows.back()["address"] = address;
    for (const int32_t at : model.handles.coordinates[data.handle])
      rows.back()["coordinates"].push_back(at);
  }
  return rows;
}

// What is not known is null.
json DetailsJson(const TraceModel& model, const TaskDetails& details) {
  const auto time = [](int64_t ns) { return ns == kNever ? json() : json(ns); };
  json estimates = json::array(), papi = json::array(), fields = json::array();
  for (const TaskEstimateOfWorker& estimate : details.estimates)
    estimates.push_back({{"worker", estimate.worker},
                         {"lengthNs", estimate.length_ns},
                         {"transferNs", estimate.transfer_ns}});
  for (const TaskCounter& counter : details.papi)
    papi.push_back({{"code", counter.code}, {"value", counter.value}});
  for (const auto& [name, text] : TaskFields(model, details))
    fields.push_back({{"name", name}, {"text", text}});
  return {{"container", details.container},
          {"type", details.type},
          {"model", details.model},
          {"arch", details.arch},
          {"priority", details.priority},
          {"context", details.context},
          {"memoryNode", details.memory_node == kNone ? json() : json(details.memory_node)},
          {"parent", details.parent == kNone ? json() : json(details.parent)},
          {"tag", details.has_tag ? json(details.tag) : json()},
          {"iteration", details.iteration >= 0 ? json(details.iteration) : json()},
          {"subiteration", details.subiteration >= 0 ? json(details.subiteration) : json()},
          {"submitOrder", details.submit_order > 0 ? json(details.submit_order) : json()},
          {"footprint", details.has_footprint ? json(details.footprint) : json()},
          {"sizeBytes", details.size_bytes},
          {"flops", model.tasks.flops[details.task]},
          {"gflop", details.gflop},
          {"submitNs", time(details.submit_ns)},
          {"readyNs", time(details.ready_ns)},
          {"takenNs", time(details.taken_ns)},
          {"durationNs", time(details.duration_ns)},
          {"parameters", details.parameters},
          {"coordinates", details.coordinates},
          {"rgb", details.rgb},
          {"data", DataJson(model, details)},
          {"estimates", std::move(estimates)},
          {"papi", std::move(papi)},
          {"fields", std::move(fields)}};
}

Result<json> ShowTask(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (Status s = CheckTask(**trace, params.task); !s.ok()) return s;
  const TraceModel& model = *(*trace)->model;
  const uint32_t task = params.task;
  const auto slack = (*trace)->views->Colours(ColourBy::kSlack, call.stop());
  if (!slack) return Cancelled();
  const int64_t slack_ns = slack->values()[task];
  const uint32_t last = (*trace)->views->WhyLate()->Of(task);
  json reply = TaskJson(**trace, task);
  reply.update(DetailsJson(model, DescribeTask(model, task)));
  reply["trace"] = (*trace)->id;
  reply["slackNs"] = slack_ns == kNever ? json() : json(slack_ns);
  reply["lastDependency"] = last == kNone ? json() : json(last);
  reply["predecessors"] = NeighboursJson(**trace, model.predecessors[task]);
  reply["successors"] = NeighboursJson(**trace, model.successors[task]);
  reply["source"] = SiteJson(session, **trace, model.tasks.site[task]);
  return reply;
}

}  // namespace

extern const RequestSpec kTaskRequest;
const RequestSpec kTaskRequest = Request<&ShowTask>("tasklens/task");

}  // namespace tasklens
