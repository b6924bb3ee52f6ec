// SPDX-License-Identifier: Apache-2.0
// The part of the task graph that a request selects: the surroundings of a task, the paths between
// two tasks, the tasks of a line, a handle or a tag, or the whole graph.
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
  // A key that identifies the part.
  std::string Key() const;
};

// Reads the selection from a request. `task_name` is the name of the parameter with the task in the
// middle. Fails if the parameters contradict each other.
Result<GraphFocus> FocusOf(const messages::GraphPart& part, std::optional<uint32_t> task,
                           const std::string& task_name);

// Returns the selected rows of tasks, in ascending order. kNotFound says what the trace does not
// have. The distance from a task is counted in edges of `selection`.
Result<std::vector<uint32_t>> TasksInFocus(const OpenTrace& trace, const TaskSelection& selection,
                                           const GraphFocus& focus, const Call& call);

}  // namespace tasklens
