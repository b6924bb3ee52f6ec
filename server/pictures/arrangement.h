// SPDX-License-Identifier: Apache-2.0
// Adapts the arrangement of nodes for a picture in a file. Unlike a view it cannot be scrolled or
// magnified, so no node may be too small or too far away to be seen.
//
// Units and coordinates as in graph_picture.h. Threads: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "server/pictures/graph_picture.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Magnifies the picture until its smallest node is readable, unless the picture would become huge.
// A picture by time is magnified in height only: the shortest task says nothing about the best
// width.
void Magnify(GraphPicture& picture);

// Arranges a picture by time, and stretches time where tasks are short, so that each task is wide
// enough to show its colour. Simultaneous nodes are above each other, later ones further right.
// Tasks are in the row of their worker (in several rows if it runs several at once). The lanes name
// these rows; a picture of groups has no lanes. O(n log n) for n nodes.
void StretchTime(const TraceModel& model, GraphPicture& picture);

// Space between two bands of a picture, and beside them, for curves that lead to another band.
inline constexpr double kBandGap = 34, kBandSide = 12;

struct Bands {
  std::vector<uint32_t> of_node;
  double step = 0;  // from the top of a band to the top of the next
};

// Breaks a very wide picture into bands, one below the other, as text is broken into lines, at
// places without nodes and frames; breaks a very high picture into columns. Curves between bands
// lose their points. Returns the bands; columns return none. O(n log n).
Bands BreakIntoBands(GraphPicture& picture);

}  // namespace tasklens
