// SPDX-License-Identifier: Apache-2.0
// What a picture that stands by itself changes in the arrangement of its nodes: it cannot be
// scrolled or magnified as a view can, so nothing in it may be too small or too far away to be
// seen.
//
// Units and coordinates as in graph_picture.h. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/pictures/graph_picture.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Magnifies the picture until its smallest node can be read, as far as it does not become huge. By
// time only its height: how short the shortest task is says nothing about how wide it ought to be.
void Magnify(GraphPicture& picture);

// Places a picture by time, and stretches time where tasks are short, so that each is wide enough
// to show its colour. What was at the same time stands above each other, and what came later
// further right. Tasks lie in the row of their worker (in several where it has some at once); these
// rows' names are the lanes, and none beside groups. O(n log n) for n nodes.
void StretchTime(const TraceModel& model, GraphPicture& picture);

// Space between two bands of a picture, and beside them, for the curves that lead on.
inline constexpr double kBandGap = 34, kBandSide = 12;

struct Bands {
  std::vector<uint32_t> of_node;
  double step = 0;  // from the top of one to that of the next
};

// Breaks a picture that is one long line, as a text is broken: into bands, each below the one
// before, where no node or frame lies; one that is high into columns. Curves between bands lose
// their points. Returns the bands; columns are none. O(n log n).
Bands BreakIntoBands(GraphPicture& picture);

}  // namespace tasklens
