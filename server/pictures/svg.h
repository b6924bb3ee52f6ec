// SPDX-License-Identifier: Apache-2.0
// Pictures as SVG documents of their own (SVG 1.1, https://www.w3.org/TR/SVG11/), with caption and
// legend. Everything that comes from a trace is escaped.
//
// Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/colours.h"
#include "analysis/timeline_scene.h"
#include "server/pictures/graph_picture.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// REQUIRES: the picture's nodes have places.
// Each node is an element of class "node" with its id; a task's has data-job, data-rank and, where
// its submission site is known, data-file, data-line and a link to file://FILE#LINE. `directory`:
// where the program ran, from which relative files are taken.
std::string GraphSvg(const TraceModel& model, const GraphPicture& picture,
                     const std::string& directory);

// All rows, each glyph with a tooltip: counters under the rows, flags on them, arrows over them as
// far as the scene has any. What is left out is said below.
std::string TimelineSvg(const TimelineScene& scene, const TaskColours& colours);

// The entries of `legend` that are used, in rows that are `width` wide, from (x, y) on. Sets
// `height` to what that takes.
std::string LegendSvg(const Legend& legend, const std::vector<bool>& used, double x, double y,
                      double width, double& height);

}  // namespace tasklens
