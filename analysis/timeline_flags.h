// SPDX-License-Identifier: Apache-2.0
// Events without duration, as flags on the rows of a timeline: the program's own events and
// messages, checkpoints, barriers, recording on and off, memory full. A flag is on the row of the
// thread of its event, or else on its rank's scheduler.
//
// Built once for a model, which must outlive it, and its rows; then const, any thread. Building
// takes O(points) time and 4 bytes per flag.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/stop.h"
#include "analysis/timeline_rows.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct TimelineFlag {
  int64_t time_ns;
  uint32_t point;  // row of model.points: the first in its pixel
  uint32_t count;  // number of flags in its pixel
};

class TimelineFlags {
 public:
  // `with_scheduler`: include each task that became ready or was popped, on the scheduler's row.
  TimelineFlags(const TraceModel& model, const TimelineRows& rows, bool with_scheduler = false,
                Stop stop = nullptr);

  // Returns the flags of a row from `begin_ns` to `end_ns` drawn on `pixels` pixels, left to right,
  // at most one per pixel. O(pixels log flags). REQUIRES: the row exists, begin_ns < end_ns, pixels
  // > 0.
  std::vector<TimelineFlag> Flags(uint32_t row, int64_t begin_ns, int64_t end_ns,
                                  uint32_t pixels) const;

 private:
  const TraceModel& model_;
  std::vector<std::vector<uint32_t>> points_;  // by row, in order of time
};

// "user event 42", "checkpoint 1 of domain 2, end: 0"; one line.
// REQUIRES: `point` is a row of model.points.
std::string FlagText(const TraceModel& model, uint32_t point);

}  // namespace tasklens
