// SPDX-License-Identifier: Apache-2.0
// Chooses the tasks that a report keeps if it cannot keep all.
//
// Threads: a pure function. O((tasks + entries) log); uses about 16 bytes an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/critical_path.h"
#include "analysis/timeline.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// An entry of the timeline in a report.
struct ReportSlice {
  uint32_t track, depth;
  TimelineSlice slice;
};

// Returns at most `most` rows of tasks, in order. If there are more tasks, up to half of the rows
// are tasks of the critical path; then come the tasks shown by `slices`, coarser views first; then
// the rest of the path. A part that does not fit is thinned evenly over the run. `slices` are
// ordered by track, depth and time.
std::vector<uint32_t> ChooseReportTasks(const TraceModel& model,
                                        std::span<const ReportSlice> slices,
                                        const CriticalPath& path, size_t most);

}  // namespace tasklens
