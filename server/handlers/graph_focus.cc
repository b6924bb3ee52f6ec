// SPDX-License-Identifier: Apache-2.0
// Resolves the parameters of a request to rows of tasks.
#include "server/handlers/graph_focus.h"

#include "analysis/neighbourhood.h"
#include "analysis/topology.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

// A tag has 64 bits, a JavaScript number 53, so "0x1000000000000007" is accepted as well.
std::optional<uint64_t> ParseTag(const std::variant<uint64_t, std::string>& tag) {
  if (const auto* number = std::get_if<uint64_t>(&tag)) return *number;
  const std::string& text = std::get<std::string>(tag);
  if (!text.starts_with("0x")) return std::nullopt;
  uint64_t value = 0;
  if (!ReadNumber(std::string_view(text).substr(2), value, 16)) return std::nullopt;
  return value;
}

}  // namespace

Result<GraphFocus> FocusOf(const messages::GraphPart& part, std::optional<uint32_t> task,
                           const std::string& task_name) {
  const auto refuse = [](const std::string& why) {
    return Status(ErrorCode::kInvalidArgument, "params." + why);
  };
  GraphFocus focus{.task = task.value_or(kNone),
                   .to = part.to.value_or(kNone),
                   .site = part.site.value_or(kNone),
                   .handle = part.handle.value_or(kNone)};
  if (part.tag) {
    focus.tag = ParseTag(*part.tag);
    if (!focus.tag)
      return refuse("tag must be an integer, 0 or more, or a string such as \"0x2a\"");
  }
  if (task.has_value() + part.site.has_value() + part.handle.has_value() + part.tag.has_value() > 1)
    return refuse(task_name + " cannot be used together with site, handle or tag");
  if (part.to && !task) return refuse("to needs " + task_name);
  if (!part.depth) return focus;
  focus.depth = *part.depth;
  if (!task) return refuse("depth needs " + task_name);
  if (part.to) return refuse("depth cannot be used together with to");
  return focus;
}

bool GraphFocus::is_whole() const {
  return task == kNone && site == kNone && handle == kNone && !tag;
}

std::string GraphFocus::Key() const {
  std::string key;
  for (const int64_t number :
       {OrMinusOne(task), int64_t{depth}, OrMinusOne(to), OrMinusOne(site), OrMinusOne(handle)})
    key += std::to_string(number) + ",";
  return key + (tag ? std::to_string(*tag) : "");
}

Result<std::vector<uint32_t>> TasksInFocus(const OpenTrace& trace, const TaskSelection& selection,
                                           const GraphFocus& focus, const Call& call) {
  const TraceModel& model = *trace.model;
  if (focus.site != kNone) {
    if (Status s = CheckSite(trace, focus.site); !s.ok()) return s;
    const auto by_site = trace.views->TasksBySite(call.stop());
    if (!by_site) return Cancelled();
    const auto tasks = (*by_site)[focus.site];
    return std::vector<uint32_t>(tasks.begin(), tasks.end());
  }
  if (focus.handle != kNone) {
    if (focus.handle >= model.handles.size())
      return Status(ErrorCode::kNotFound,
                    "the trace " + trace.id + " has no data " + std::to_string(focus.handle) +
                        "; it has " + std::to_string(model.handles.size()) + ", counted from 0");
    return TasksOfHandle(model, focus.handle, call.stop());
  }
  if (focus.tag) {
    std::vector<uint32_t> tasks = TasksOfTag(model, *focus.tag, call.stop());
    if (tasks.empty() && !call.IsCancelled())
      return Status(ErrorCode::kNotFound, "the trace " + trace.id + " has no task with the tag " +
                                              std::to_string(*focus.tag));
    return tasks;
  }
  if (Status s = CheckTask(trace, focus.task); !s.ok()) return s;
  const auto topology = trace.views->Levels(call.stop());
  if (!topology) return Cancelled();
  if (focus.to == kNone)
    return TasksAround(model, *topology, selection, focus.task, focus.depth, call.stop());
  if (Status s = CheckTask(trace, focus.to); !s.ok()) return s;
  return TasksBetween(model, *topology, focus.task, focus.to, call.stop());
}

}  // namespace tasklens
