// SPDX-License-Identifier: Apache-2.0
// The observed critical path as one view of a timeline draws it: all of it, whatever its length.
//
// Making one costs O(steps), 40 bytes each; const then, any thread. A view costs O(steps in it).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/critical_path.h"
#include "analysis/timeline_rows.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Steps that follow each other on one row within a pixel, or a single one.
struct PathStretch {
  uint32_t row;
  int64_t start_ns, end_ns;
  uint64_t count;   // steps
  int64_t work_ns;  // in tasks; what else of it there is, is waiting
};

class PathIndex {
 public:
  PathIndex(const TraceModel& model, const TimelineRows& rows, const CriticalPath& path);

  // Of each pixel at most one stretch a row, in the order in which the path comes to them; and the
  // steps just before and behind the view, to draw the way there. Steps on workers without a row
  // are passed over. REQUIRES: from_ns < to_ns, pixels > 0.
  std::vector<PathStretch> View(int64_t from_ns, int64_t to_ns, uint32_t pixels) const;

  size_t size() const { return steps_.size(); }

 private:
  std::vector<PathStretch> steps_;
};

}  // namespace tasklens
