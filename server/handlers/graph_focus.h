// SPDX-License-Identifier: Apache-2.0
// The part of the task graph that a request is about: what surrounds a task, the paths between two,
// the tasks of a line, of a piece of data, of a tag; or all of it.
//
// Threads: pure functions of a session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/messages/messages.h"
#include "server/session/host.h"

namespace tasklens {

struct GraphFocus {
  uint32_t task = kNone, depth = 2, to = kNone, site = kNone, handle = kNone;
  std::optional<uint64_t> tag;

  bool is_whole() const;
  // Different for different parts.
  std::string Key() const;
};

// `task_name` is the parameter that names the task in the middle. Refuses what cannot stand
// together.
Result<GraphFocus> FocusOf(const messages::GraphPart& part, std::optional<uint32_t> task,
                           const std::string& task_name);

// The rows that are meant, in ascending order; kNotFound names what the trace does not have. What
// surrounds a task is counted in steps of `selection`.
Result<std::vector<uint32_t>> TasksInFocus(const OpenTrace& trace, const TaskSelection& selection,
                                           const GraphFocus& focus, const Call& call);

}  // namespace tasklens
