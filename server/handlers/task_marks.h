// SPDX-License-Identifier: Apache-2.0
// What lists of tasks share.
#pragma once

#include <cstdint>
#include <vector>

#include "server/messages/messages.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

inline Status Cancelled() { return Status(ErrorCode::kCancelled, "cancelled"); }

// A set of tasks: a packed column with a bit for each task of the trace, eight a byte, the lowest
// first. As long for all tasks as for one, so that none need be left out.
class TaskMarks {
 public:
  explicit TaskMarks(const TraceModel& model) : bytes_((model.tasks.size() + 7) / 8) {}
  void Add(uint32_t task) { bytes_[task / 8] |= static_cast<uint8_t>(1u << task % 8); }
  messages::Packed Take() const;

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace tasklens
