// SPDX-License-Identifier: Apache-2.0
// The observed critical path for one view of a timeline: all of it, whatever its length.
//
// The constructor costs O(steps), 40 bytes each; const then, any thread. A view costs O(steps in
// it).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/critical_path.h"
#include "analysis/timeline_rows.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A single step, or consecutive steps on one row within a pixel.
struct PathStretch {
  uint32_t row;
  int64_t start_ns, end_ns;
  uint64_t count;   // steps
  int64_t work_ns;  // in tasks; the rest of the stretch is waiting
};

class PathIndex {
 public:
  PathIndex(const TraceModel& model, const TimelineRows& rows, const CriticalPath& path);

  // Returns at most one stretch per pixel and row, in the order of the path; and the steps just
  // before and after the view, to draw the lines to them. Steps on workers without a row are
  // skipped. REQUIRES: from_ns < to_ns, pixels > 0.
  std::vector<PathStretch> View(int64_t from_ns, int64_t to_ns, uint32_t pixels) const;

  size_t size() const { return steps_.size(); }

 private:
  std::vector<PathStretch> steps_;
};

}  // namespace tasklens
