// SPDX-License-Identifier: Apache-2.0
// What leads from one task to another besides the dependencies that the trace has between tasks:
// tags (tag_links.h), and messages between ranks, from the task on whose behalf one was sent to the
// task that it was received for. Messages of which the trace lacks an end, or a task, are left out.
//
// Pure; any thread. O(messages + tags + tasks) time, 8 bytes a task; nothing where there are none.
#pragma once

#include <cstdint>

#include "trace/model/trace_model.h"

namespace tasklens {

struct TaskLinks {
  Lists<uint32_t> before, after;  // by row of tasks: what it waits for, what waits for it

  TaskLinks() = default;
  explicit TaskLinks(const TraceModel& model);
  bool empty() const { return before.items.empty(); }
};

}  // namespace tasklens
