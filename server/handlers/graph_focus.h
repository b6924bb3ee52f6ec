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

#include "server/protocol/fields.h"
#include "server/session/host.h"

namespace tasklens {

struct GraphFocus {
  uint32_t task = kNone, depth = 2, to = kNone, site = kNone, handle = kNone;
  std::optional<uint64_t> tag;

  // `task_name` is the parameter that names the task in the middle. Reports what cannot stand
  // together.
  void Visit(Fields& fields, std::string_view task_name);
  bool is_whole() const;
  // Different for different parts.
  std::string Key() const;
};

// The rows that are meant, in ascending order; kNotFound names what the trace does not have. What
// surrounds a task is counted in steps of `selection`.
Result<std::vector<uint32_t>> TasksInFocus(const OpenTrace& trace, const TaskSelection& selection,
                                           const GraphFocus& focus, const Call& call);

}  // namespace tasklens
