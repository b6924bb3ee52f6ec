// SPDX-License-Identifier: Apache-2.0
// Shared by the timelines for Perfetto and for Chrome: options, names of rows, lanes of transfers
// that do not overlap, the two ends of a message.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converters/formats.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct TimelineOptions {
  bool arguments = true;
  bool flows = true;
};
inline TimelineOptions TimelineOptionsOf(const WriteOptions& options) {
  return {.arguments = !options.Has("no-args"), .flows = !options.Has("no-flows")};
}

// "cholesky"; "cholesky, rank 3" if there are several ranks.
std::string ProcessName(const TraceModel& model, uint32_t rank_index);

// "ready tasks", "memory used, NUMA 0".
std::string CounterName(const TraceModel& model, const CounterSeries& series);

// "user event 7", or the text of a message of the program; nothing for all other points.
std::optional<std::string> PointName(const TraceModel& model, size_t point);

// Whether a task ran on a worker, so that there is a slice of it.
bool RanOnWorker(const TraceModel& model, uint32_t task);

// Transfers to one memory node that do not overlap, in order of time.
struct TransferLane {
  uint32_t rank_index, target_node;
  std::vector<uint32_t> rows;  // of transfers
};
// A memory node has as many lanes, one after another, as it has transfers at once.
std::vector<TransferLane> TransferLanes(const TraceModel& model);

// One end of a message whose two ends are known.
struct MessageMoment {
  int64_t time_ns;
  uint32_t rank_index, row;  // of ranks, of messages
  bool sends;
};
// Grouped by rank, in order of time.
std::vector<MessageMoment> MessageMoments(const TraceModel& model);
// "to rank 3", "from rank 0".
std::string MomentName(const TraceModel& model, const MessageMoment& moment);

}  // namespace tasklens
