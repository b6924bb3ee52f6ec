// SPDX-License-Identifier: Apache-2.0
// What ranks sent to each other: how many messages, and how many bytes.
//
// A message whose two ends the trace has counts, and no other: of the rest nobody knows that it
// arrived. Pure function; any thread. O(messages + ranks^2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct MessageMatrix {
  std::vector<uint32_t> ranks;         // as MPI numbers them, ascending
  std::vector<uint64_t> count, bytes;  // [source * ranks.size() + target]
  // Messages whose bytes no longer fit are counted with what fits.
  size_t At(size_t source, size_t target) const { return source * ranks.size() + target; }
  uint64_t messages() const;
};

MessageMatrix MessagesBetween(const TraceModel& model);

}  // namespace tasklens
