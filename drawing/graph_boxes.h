// SPDX-License-Identifier: Apache-2.0
// Positions of the nodes of a grouped graph: coordinates come from the run, so that no layout has
// to be searched for, and a node keeps its position while groups are opened and closed.
//
// By level: x is the level, the same width for all nodes, so edges point to the right. By time: x
// is the time. y is a row: nodes that overlap in x are in different rows, with as few rows as
// possible; by time, tasks are in the row of their worker. The contents of a frame, which is an
// open group, lie inside its box. Many nodes of the same level are placed in several columns of it.
// Boxes of nodes do not overlap.
//
// O(n log n) for n nodes. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct Interval {
  double begin, end;
};

// A node, or a frame, with its extent in the run.
struct NodeOfRun {
  uint32_t frame = kNone;  // index of the innermost frame around it
  uint32_t first_level = 0, last_level = 0;
  Interval time = {0, 0};   // in any unit
  uint32_t worker = kNone;  // kNone: several workers, or none
};

// A rectangle, in shares of the picture: 0..1, y downwards; x and y of its corner. By time, x and
// width are times: the picture decides how wide a moment is drawn.
struct GraphBox {
  double x = 0, y = 0, width = 1, height = 1;
};

struct GraphBoxes {
  std::vector<GraphBox> nodes, frames;
  // Number of nodes above each other and, by level, side by side while all frames are closed.
  uint32_t rows = 1, columns = 1;
};

enum class BoxesBy : uint8_t { kLevel, kTime };

// REQUIRES: a frame comes before those inside it, and contains at least one node.
GraphBoxes BoxesOf(BoxesBy by, std::span<const NodeOfRun> nodes, std::span<const NodeOfRun> frames);

}  // namespace tasklens
