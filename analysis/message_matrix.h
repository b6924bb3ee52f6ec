// SPDX-License-Identifier: Apache-2.0
// The number of messages, and of bytes, from each rank to each rank.
//
// Only messages with both ends in the trace count: others may not have arrived. Pure function; any
// thread. O(messages + ranks^2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct MessageMatrix {
  std::vector<uint32_t> ranks;         // as MPI numbers them, ascending
  std::vector<uint64_t> count, bytes;  // [source * ranks.size() + target]
  // A sum of bytes that would overflow is kept at its maximum.
  size_t At(size_t source, size_t target) const { return source * ranks.size() + target; }
  uint64_t messages() const;
};

MessageMatrix MessagesBetween(const TraceModel& model);

}  // namespace tasklens
