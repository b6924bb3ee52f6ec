// SPDX-License-Identifier: Apache-2.0
// Pictures as complete SVG documents (SVG 1.1, https://www.w3.org/TR/SVG11/) with caption and
// legend. All strings from a trace are escaped.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "analysis/colours.h"
#include "analysis/timeline_scene.h"
#include "server/pictures/graph_picture.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Each node is an element of class "node" with its id. Tasks have data-job, data-rank and, if their
// submission site is known, data-file, data-line and a link to file://FILE#LINE. `directory`: where
// the program ran, the base of relative file names. REQUIRES: the nodes of the picture have
// positions.
std::string GraphSvg(const TraceModel& model, const GraphPicture& picture,
                     const std::string& directory);

// Draws all rows, each glyph with a tooltip; counters below the rows, flags on them and arrows over
// them, if the scene has any. A line at the bottom says what is left out.
std::string TimelineSvg(const TimelineScene& scene, const TaskColours& colours);

// Draws the used entries of `legend` in rows of `width` from (x, y). Sets `height` to the height of
// the rows.
std::string LegendSvg(const Legend& legend, const std::vector<bool>& used, double x, double y,
                      double width, double& height);

}  // namespace tasklens
