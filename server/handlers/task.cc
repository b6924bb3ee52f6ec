// SPDX-License-Identifier: Apache-2.0
// tasklens/task: all information about one task.
#include <cmath>
#include <cstdio>

#include "analysis/colours.h"
#include "analysis/last_dependencies.h"
#include "analysis/task_details.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

// A task may have a million neighbours; a panel shows some.
constexpr size_t kMaxNeighbours = 1000;

using messages::TaskAnswer, messages::TaskParams;

template <class Ends>
messages::Neighbours Neighbours(const OpenTrace& trace, const Ends& ends) {
  messages::Neighbours neighbours{.count = ends.size()};
  for (const DepEnd& end : ends.first(std::min(ends.size(), kMaxNeighbours)))
    neighbours.tasks.push_back(
        {TaskMessage(trace, end.task), std::string(trace.model->str(end.label))});
  return neighbours;
}

std::vector<messages::TaskData> DataOf(const TraceModel& model, const TaskDetails& details) {
  std::vector<messages::TaskData> rows;
  for (size_t i = 0; i < details.data.size(); ++i) {
    const TaskData& data = details.data[i];
    messages::TaskData& row = rows.emplace_back();
    row.mode = data.mode;
    row.size_bytes = data.size_bytes;
    row.numa_nodes = data.numa_nodes;
    if (i < details.parameters.size()) row.text = details.parameters[i];
    if (data.handle >= model.handles.size()) continue;
    char address[24];
    std::snprintf(address, sizeof address, "0x%llx",
                  static_cast<unsigned long long>(model.handles.address[data.handle]));
    row.handle = data.handle;
    row.name = model.str(model.handles.name[data.handle]);
    row.address = address;
    for (const int32_t at : model.handles.coordinates[data.handle]) row.coordinates.push_back(at);
  }
  return rows;
}

std::optional<int64_t> FiniteNs(double ns) {
  return std::isfinite(ns) ? std::optional<int64_t>(std::llround(ns)) : std::nullopt;
}

void AddDetails(const TraceModel& model, const TaskDetails& details, TaskAnswer& answer) {
  answer.container = details.container;
  answer.type = details.type;
  answer.model = details.model;
  answer.arch = details.arch;
  answer.priority = details.priority;
  answer.context = details.context;
  answer.memory_node = KnownRow(details.memory_node);
  answer.parent = KnownRow(details.parent);
  if (details.has_tag) answer.tag = details.tag;
  if (details.iteration >= 0) answer.iteration = details.iteration;
  if (details.subiteration >= 0) answer.subiteration = details.subiteration;
  if (details.submit_order > 0) answer.submit_order = details.submit_order;
  if (details.has_footprint) answer.footprint = details.footprint;
  answer.size_bytes = details.size_bytes;
  answer.flops = model.tasks.flops[details.task];
  answer.gflop = details.gflop;
  answer.submit_ns = KnownTime(details.submit_ns);
  answer.ready_ns = KnownTime(details.ready_ns);
  answer.taken_ns = KnownTime(details.taken_ns);
  answer.duration_ns = KnownTime(details.duration_ns);
  answer.parameters.assign(details.parameters.begin(), details.parameters.end());
  answer.coordinates.assign(details.coordinates.begin(), details.coordinates.end());
  answer.rgb = details.rgb;
  answer.data = DataOf(model, details);
  for (const TaskEstimateOfWorker& estimate : details.estimates)
    answer.estimates.push_back({.worker = estimate.worker,
                                .length_ns = FiniteNs(estimate.length_ns),
                                .transfer_ns = FiniteNs(estimate.transfer_ns)});
  for (const TaskCounter& counter : details.papi)
    answer.papi.push_back({.code = counter.code, .value = counter.value});
  for (const auto& [name, text] : TaskFields(model, details))
    answer.fields.push_back({.name = std::string(name), .text = text});
}

Result<TaskAnswer> ShowTask(const Session& session, const TaskParams& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (Status s = CheckTask(**trace, params.task); !s.ok()) return s;
  const TraceModel& model = *(*trace)->model;
  const uint32_t task = params.task;
  const auto slack = (*trace)->views->Colours(ColourBy::kSlack, call.stop());
  if (!slack) return Cancelled();
  TaskAnswer answer{TaskMessage(**trace, task), (*trace)->id};
  AddDetails(model, DescribeTask(model, task), answer);
  answer.slack_ns = KnownTime(slack->values()[task]);
  answer.last_dependency = KnownRow((*trace)->views->WhyLate()->Of(task));
  answer.predecessors = Neighbours(**trace, model.predecessors[task]);
  answer.successors = Neighbours(**trace, model.successors[task]);
  answer.source = SiteMessage(session, **trace, model.tasks.site[task]);
  return answer;
}

}  // namespace

extern const RequestSpec kTaskRequest = Request<&ShowTask>("tasklens/task");

}  // namespace tasklens
