// SPDX-License-Identifier: Apache-2.0
// Which tasks a report keeps where it cannot keep all of them.
//
// Pure; any thread. O((tasks + entries) log), some 16 bytes an entry meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/critical_path.h"
#include "analysis/timeline.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// An entry of the timeline that a report keeps.
struct ReportSlice {
  uint32_t track, depth;
  TimelineSlice slice;
};

// Rows of tasks in order, at most `most`: all, or half of them of the critical path, then those
// that `slices` show, those of coarser views first, then the rest of the path. What does not fit is
// thinned evenly over the run. `slices` are ordered by track, depth and time.
std::vector<uint32_t> ChooseReportTasks(const TraceModel& model,
                                        std::span<const ReportSlice> slices,
                                        const CriticalPath& path, size_t most);

}  // namespace tasklens
