// SPDX-License-Identifier: Apache-2.0
// Edges between tasks other than the trace's dependencies: tags (tag_links.h), and messages between
// ranks, from the task for which one was sent to the task for which it was received. Messages
// without both ends and both tasks are left out.
//
// Pure; any thread. O(messages + tags + tasks) time, 8 bytes per task; nothing if there are none.
#pragma once

#include <cstdint>

#include "trace/model/trace_model.h"

namespace tasklens {

struct TaskLinks {
  Lists<uint32_t> before, after;  // by row of tasks: its predecessors, its successors

  TaskLinks() = default;
  explicit TaskLinks(const TraceModel& model);
  bool empty() const { return before.items.empty(); }
};

}  // namespace tasklens
