// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG documents of their own (SVG 1.1, https://www.w3.org/TR/SVG11/), with caption and
// legend. Everything that comes from a trace is escaped.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/colours.h"
#include "analysis/timeline.h"
#include "analysis/timeline_rows.h"
#include "server/pictures/graph_picture.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Each node is an element of class "node" with its id; a task's has data-job, data-rank and, where
// its submission site is known, data-file, data-line and a link to file://FILE#LINE. `directory`:
// where the program ran, from which relative files are taken.
std::string GraphSvg(const TraceModel& model, const GraphPicture& picture,
                     const std::string& directory);

// All rows from `from_ns` to `to_ns`, `pixels` wide. Each glyph has a tooltip.
// REQUIRES: from_ns < to_ns, pixels > 0.
std::string TimelineSvg(const TraceModel& model, const TimelineRows& rows,
                        const TimelineIndex& index, const TaskColours& colours, int64_t from_ns,
                        int64_t to_ns, uint32_t pixels);

}  // namespace tasklens
