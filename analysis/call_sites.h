// SPDX-License-Identifier: Apache-2.0
// The lines at which the program waits, where the trace has them (event call_site).
//
// Pure; any thread. O(points) to make, 16 bytes a call.
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
  // The row of `sites` of the call that began to wait on that track at `start_ns`; kNone: the trace
  // has none after `since_ns`, the end of what the track waited for before.
  uint32_t Of(uint32_t track, int64_t since_ns, int64_t start_ns) const;

 private:
  struct Call {
    uint32_t track, site;
    int64_t time_ns;
  };
  std::vector<Call> calls_;  // by track, then by time
};

// What the calls of a line waited, all together.
struct WaitCost {
  uint32_t site;  // row of `sites`
  uint64_t calls = 0;
  int64_t total_ns = 0;
};
// One row for each line of which the trace knows waits, the costliest first, equals by site.
std::vector<WaitCost> WaitsBySite(const TraceModel& model);

// The line at which the program of a rank waited longest within a stretch, and what its calls took
// of that; site is kNone where the trace has no such line. O(points + states).
WaitCost LongestWaitWithin(const TraceModel& model, uint32_t rank_index, Span stretch);

}  // namespace tasklens
