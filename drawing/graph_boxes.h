// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a graph in groups stand: coordinates from the run, so that no layout has to be
// searched for, and a node stays where it is while groups are opened and closed.
//
// By level: x is the level, for all nodes alike, so edges lead to the right; by time: x is the
// time. y is a row: nodes that overlap in x lie in different rows, as few as there can be; by time,
// tasks lie in the row of their worker. What lies in a frame, which is a group that is open, lies
// inside its box. Many nodes of one and the same level stand in several columns of it. Boxes of
// nodes do not overlap.
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

// A node, or a frame, as it lies in the run.
struct NodeOfRun {
  uint32_t frame = kNone;  // index of the innermost frame around it
  uint32_t first_level = 0, last_level = 0;
  Interval time = {0, 0};   // in any unit
  uint32_t worker = kNone;  // kNone: of several, or of none
};

// A rectangle, in shares of the picture: 0..1, y downwards; x and y of its corner. By time, x and
// width are times: how wide a moment is drawn is up to the picture.
struct GraphBox {
  double x = 0, y = 0, width = 1, height = 1;
};

struct GraphBoxes {
  std::vector<GraphBox> nodes, frames;
  // How many stand above each other and, by level, side by side while all frames are closed.
  uint32_t rows = 1, columns = 1;
};

enum class BoxesBy : uint8_t { kLevel, kTime };

// REQUIRES: a frame comes before those inside it, and holds a node at least.
GraphBoxes BoxesOf(BoxesBy by, std::span<const NodeOfRun> nodes, std::span<const NodeOfRun> frames);

}  // namespace tasklens
