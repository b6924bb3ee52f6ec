// SPDX-License-Identifier: Apache-2.0
// Collects the data of a task from the tables, and formats them.
#include "analysis/task_details.h"

#include <algorithm>
#include <cstdio>

#include "analysis/statistics.h"
#include "analysis/text.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

constexpr std::string_view kNoValue = "none", kUnknown = "unknown";

template <class... Args>
std::string Format(const char* format, Args... args) {
  char text[64];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

std::string Hex(uint64_t value, int digits) {
  return Format("0x%0*llx", digits, static_cast<unsigned long long>(value));
}

std::string OrUnknown(std::string_view text) { return std::string(text.empty() ? kUnknown : text); }

// "0", "0+2": one number per bit.
std::string NumaText(int64_t nodes) {
  if (nodes < 0) return std::string(kUnknown);
  std::string text;
  for (int node = 0; node < 63; ++node)
    if (nodes >> node & 1) text += (text.empty() ? "" : "+") + std::to_string(node);
  return text.empty() ? std::string(kNoValue) : text;
}

// "file:line in function", if the function is known.
std::string SourceText(const TraceModel& model, uint32_t site) {
  const std::string_view function = model.str(model.sites.function[site]);
  return LineOf(model, site) + (function.empty() ? "" : " in " + std::string(function));
}

// item(i) for 0 <= i < count with ", " between; "none" for none.
template <class Item>
std::string Joined(size_t count, const Item& item) {
  constexpr size_t kMost = 64;  // limit for a readable panel
  std::string text;
  for (size_t i = 0; i < std::min(count, kMost); ++i) {
    if (i > 0) text += ", ";
    text += item(i);
  }
  if (count > kMost) text += ", and " + CountText(count - kMost) + " more";
  return count == 0 ? std::string(kNoValue) : text;
}

std::vector<int32_t> CoordinatesOf(const TraceModel& model, uint32_t task) {
  for (const TaskAccess& access : model.accesses[task]) {
    if (!(access.mode & kAccessWrite) || access.handle >= model.handles.size()) continue;
    const auto at = model.handles.coordinates[access.handle];
    return {at.begin(), at.end()};
  }
  return {};
}

// Calls visit(place, row) for each row of a table that is about tasks[place]; `task_of`: by row.
template <class Visit>
void ForEachRowOf(std::span<const uint32_t> tasks, const std::vector<uint32_t>& task_of,
                  const Visit& visit) {
  for (size_t row = 0; row < task_of.size(); ++row) {
    const auto found = std::ranges::lower_bound(tasks, task_of[row]);
    if (found != tasks.end() && *found == task_of[row]) visit(found - tasks.begin(), row);
  }
}

// Without what is in tables about all tasks.
TaskDetails DescribeAlone(const TraceModel& model, uint32_t task) {
  const TaskTable& tasks = model.tasks;
  TaskDetails details;
  details.task = task;
  details.value = model.TaskNameOf(task);
  if (tasks.worker[task] < model.workers.size()) {
    details.container = StatisticsLabel(model, StatisticsBy::kWorker, tasks.worker[task]);
    details.type = "Worker State";
  }
  details.submit_ns = tasks.submit_ns[task];
  details.ready_ns = tasks.ready_ns[task];
  details.taken_ns = tasks.pop_ns[task];
  details.start_ns = tasks.start_ns[task];
  details.end_ns = tasks.end_ns[task];
  if (details.start_ns != kNever && details.end_ns != kNever)
    details.duration_ns = tasks.RunNs(task);
  details.has_footprint = tasks.has_footprint[task];
  details.footprint = tasks.footprint[task];
  details.gflop = tasks.flops[task] / 1e9;
  details.iteration = tasks.iteration[task];
  details.subiteration = tasks.subiteration[task];
  details.job = tasks.job[task];
  details.rank = model.ranks.rank[tasks.rank_index[task]];
  for (const StringId parameter : model.parameters[task])
    details.parameters.push_back(model.str(parameter));
  for (const TaskAccess& access : model.accesses[task])
    details.data.push_back({access.handle < model.handles.size() ? access.handle : kNone,
                            access.mode, access.size_bytes, access.numa_nodes});
  details.size_bytes = tasks.size_bytes[task];
  details.submit_order = tasks.submit_order[task];
  details.has_tag = tasks.has_tag[task];
  details.tag = tasks.tag[task];
  details.coordinates = CoordinatesOf(model, task);
  details.has_own_rgb = tasks.rgb[task] != kNone;
  details.rgb = details.has_own_rgb ? tasks.rgb[task] & 0xFFFFFF : Decl(StateKind::kTask).rgb;
  details.site = tasks.site[task] < model.sites.size() ? tasks.site[task] : kNone;
  details.model = model.str(tasks.model[task]);
  details.arch = model.str(tasks.arch[task]);
  details.priority = tasks.priority[task];
  details.context = tasks.ctx[task];
  details.memory_node = tasks.memory_node[task];
  details.parent = tasks.parent[task] < tasks.size() ? tasks.parent[task] : kNone;
  details.predecessors = model.predecessors[task].size();
  details.successors = model.successors[task].size();
  return details;
}

}  // namespace

std::vector<TaskDetails> DescribeTasks(const TraceModel& model, std::span<const uint32_t> tasks) {
  std::vector<TaskDetails> all;
  for (const uint32_t task : tasks) all.push_back(DescribeAlone(model, task));
  const EstimateTable& estimates = model.estimates;
  ForEachRowOf(tasks, estimates.task, [&](size_t place, size_t row) {
    all[place].estimates.push_back(
        {estimates.worker[row], estimates.length_ns[row], estimates.transfer_ns[row]});
  });
  ForEachRowOf(tasks, model.papi.task, [&](size_t place, size_t row) {
    all[place].papi.push_back({model.papi.code[row], model.papi.value[row]});
  });
  return all;
}

TaskDetails DescribeTask(const TraceModel& model, uint32_t task) {
  return std::move(DescribeTasks(model, {&task, 1}).front());
}

std::vector<std::pair<std::string_view, std::string>> TaskFields(const TraceModel& model,
                                                                 const TaskDetails& details) {
  return TaskFields(model, details, RunClock(model));
}

std::vector<std::pair<std::string_view, std::string>> TaskFields(const TraceModel& model,
                                                                 const TaskDetails& details,
                                                                 const RunClock& clock) {
  std::vector<std::pair<std::string_view, std::string>> fields;
  const auto add = [&](std::string_view name, std::string text) {
    fields.emplace_back(name, std::move(text));
  };
  // The same precision for all times, because they are to be compared.
  const auto moment = [&](int64_t at_ns) {
    return at_ns == kNever ? std::string(kUnknown)
                           : clock.Text(at_ns, std::max<int64_t>(details.duration_ns, 0));
  };
  const auto coordinate = [&](size_t i) {
    return i < details.coordinates.size() ? std::to_string(details.coordinates[i])
                                          : std::string(kNoValue);
  };
  const auto or_none = [](int64_t value) {
    return value < 0 ? std::string(kNoValue) : std::to_string(value);
  };
  add("Name", std::string(details.value));
  add("Worker", details.container.empty() ? "no worker" : details.container);
  add("Time", details.start_ns == kNever
                  ? "it did not run"
                  : moment(details.start_ns) + " to " + moment(details.end_ns));
  add("Duration",
      details.duration_ns == kNever ? std::string(kUnknown) : DurationText(details.duration_ns));
  add("Footprint", details.has_footprint ? Hex(details.footprint, 8) : std::string(kUnknown));
  add("GFlop", details.gflop != 0 ? Format("%.6g", details.gflop) : std::string(kUnknown));
  add("Iteration", or_none(details.iteration));
  add("Job", std::to_string(details.job));
  const bool knows_nodes = std::any_of(details.data.begin(), details.data.end(),
                                       [](const auto& data) { return data.numa_nodes >= 0; });
  add("NUMA nodes", details.data.empty() || knows_nodes
                        ? Joined(details.data.size(),
                                 [&](size_t i) { return NumaText(details.data[i].numa_nodes); })
                        : std::string(kUnknown));
  add("Parameters", Joined(details.parameters.size(),
                           [&](size_t i) { return std::string(details.parameters[i]); }));
  add("Size", CountText(details.size_bytes, "byte"));
  add("Subiteration", or_none(details.subiteration));
  add("Submission",
      details.submit_order > 0 ? std::to_string(details.submit_order) : std::string(kNoValue));
  add("Tag", details.has_tag ? Hex(details.tag, 16) : std::string(kNoValue));
  add("X", coordinate(0));
  add("Y", coordinate(1));
  add("Colour", Format("0x%06X", details.rgb));
  add("Source", details.site == kNone ? std::string(kUnknown) : SourceText(model, details.site));
  add("Rank", std::to_string(details.rank));
  add("Submitted", moment(details.submit_ns));
  add("Ready", moment(details.ready_ns));
  add("Taken", moment(details.taken_ns));
  add("Priority", std::to_string(details.priority));
  add("Model", details.model.empty() ? std::string(kNoValue) : std::string(details.model));
  add("Architecture", OrUnknown(details.arch));
  add("Context", std::to_string(details.context));
  add("Memory node",
      details.memory_node == kNone ? std::string(kUnknown) : std::to_string(details.memory_node));
  add("Parent", details.parent == kNone ? std::string(kNoValue)
                                        : "job " + std::to_string(model.tasks.job[details.parent]));
  add("Estimates", Joined(details.estimates.size(), [&](size_t i) {
        const TaskEstimateOfWorker& estimate = details.estimates[i];
        const std::string who = estimate.worker < 0 ? std::string("any worker")
                                                    : "worker " + std::to_string(estimate.worker);
        return Format("%.6g us on ", estimate.length_ns / 1e3) + who;
      }));
  add("PAPI", Joined(details.papi.size(), [&](size_t i) {
        return Hex(static_cast<uint64_t>(details.papi[i].code), 8) + ": " +
               std::to_string(details.papi[i].value);
      }));
  add("Waits for", CountText(details.predecessors, "task"));
  add("Waited for by", CountText(details.successors, "task"));
  return fields;
}

}  // namespace tasklens
