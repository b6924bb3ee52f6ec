// SPDX-License-Identifier: Apache-2.0
// From the parameters of a request to rows of tasks.
#include "server/handlers/graph_focus.h"

#include <charconv>

#include "analysis/neighbourhood.h"
#include "analysis/topology.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"

namespace tasklens {
namespace {

// A tag has 64 bits, a number of JavaScript 53: "0x1000000000000007" is taken as well.
std::optional<uint64_t> ParseTag(const json& tag) {
  if (tag.is_number_unsigned()) return tag.get<uint64_t>();
  if (!tag.is_string()) return std::nullopt;
  const std::string text = tag.get<std::string>();
  if (!text.starts_with("0x")) return std::nullopt;
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + 2, end, value, 16);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

void GraphFocus::Visit(Fields& fields, std::string_view task_name) {
  json tag_text;
  fields.Optional(task_name, task);
  uint32_t asked_depth = kNone;
  fields.Optional("depth", asked_depth);
  fields.Optional("to", to);
  fields.Optional("site", site);
  fields.Optional("handle", handle);
  fields.Optional("tag", tag_text);
  if (!tag_text.is_null()) {
    tag = ParseTag(tag_text);
    if (!tag) fields.Fail("tag", "must be an integer from 0, or a text as \"0x2a\"");
  }
  if ((task != kNone) + (site != kNone) + (handle != kNone) + tag.has_value() > 1)
    fields.Fail(task_name, "cannot stand together with site, handle or tag");
  if (to != kNone && task == kNone) fields.Fail("to", "needs " + std::string(task_name));
  if (asked_depth == kNone) return;
  depth = asked_depth;
  if (task == kNone) fields.Fail("depth", "needs " + std::string(task_name));
  if (to != kNone) fields.Fail("depth", "cannot stand together with to");
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
