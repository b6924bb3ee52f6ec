// SPDX-License-Identifier: Apache-2.0
// Messages between ranks as edges between tasks: from the task on whose behalf one was sent to the
// task that it was received for. Messages of which the trace lacks an end, or a task, are left out.
//
// Pure; any thread. O(messages + tasks) time, 8 bytes a task; nothing where there are none.
#pragma once

#include <cstdint>

#include "trace/model/trace_model.h"

namespace tasklens {

struct MessageLinks {
  Lists<uint32_t> before, after;  // by row of tasks: the senders, the receivers

  MessageLinks() = default;
  explicit MessageLinks(const TraceModel& model);
  bool empty() const { return before.items.empty(); }
};

}  // namespace tasklens
