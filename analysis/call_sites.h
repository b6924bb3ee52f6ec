// SPDX-License-Identifier: Apache-2.0
// The source lines at which the program waits, if the trace has them (event call_site).
//
// Pure; any thread. O(points) to build, 16 bytes per call.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/task_times.h"
#include "trace/model/trace_model.h"

namespace tasklens {

class CallSites {
 public:
  explicit CallSites(const TraceModel& model);
  bool empty() const { return calls_.empty(); }
  // Returns the row of `sites` of the call that began to wait on `track` at `start_ns`; kNone: the
  // trace has none after `since_ns`, the end of the previous wait on the track.
  uint32_t Of(uint32_t track, int64_t since_ns, int64_t start_ns) const;

 private:
  struct Call {
    uint32_t track, site;
    int64_t time_ns;
  };
  std::vector<Call> calls_;  // by track, then by time
};

// The waiting time of all calls of a line.
struct WaitCost {
  uint32_t site;  // row of `sites`
  uint64_t calls = 0;
  int64_t total_ns = 0;
};
// One row for each line with known waits, the costliest first, equals by site.
std::vector<WaitCost> WaitsBySite(const TraceModel& model);

// Returns the line at which the program of a rank waited longest within a stretch, and the part of
// this wait in its calls; site is kNone if the trace has no such line. O(points + states).
WaitCost LongestWaitWithin(const TraceModel& model, uint32_t rank_index, Span stretch);

}  // namespace tasklens
