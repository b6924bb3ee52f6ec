// SPDX-License-Identifier: Apache-2.0
// Helpers for requests that return sets of tasks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/messages/messages.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A set of tasks as a packed bitmap: one bit for each task of the trace, the lowest bit of a byte
// first. Its size does not depend on the number of tasks in it, so it never has to be cut.
class TaskMarks {
 public:
  explicit TaskMarks(const TraceModel& model) : bytes_((model.tasks.size() + 7) / 8) {}
  void Add(uint32_t task) { bytes_[task / 8] |= static_cast<uint8_t>(1u << task % 8); }
  messages::Packed Take() const;
  static messages::Packed Of(const TraceModel& model, std::span<const uint32_t> tasks);

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace tasklens
