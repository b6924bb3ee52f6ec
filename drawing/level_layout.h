// SPDX-License-Identifier: Apache-2.0
// Coordinates for a graph of any size from its edges alone: no optimisation, linear time.
#pragma once

#include <cstdint>
#include <vector>

#include "drawing/graph_layout.h"

namespace tasklens {

// A graph whose edges are where they are: a copy of millions of them would cost more than the
// layout.
class LevelGraph {
 public:
  virtual ~LevelGraph() = default;
  virtual uint32_t size() const = 0;
  virtual bool IsShown(uint32_t node) const = 0;
  // Appends the shown nodes that `node` waits for.
  virtual void AppendBefore(uint32_t node, std::vector<uint32_t>& before) const = 0;
};

struct LevelLayout : Extent {
  struct Place {
    float x = 0, y = 0;  // whole numbers
  };
  std::vector<Place> at;  // the centres of nodes; nothing where they are not shown
};

// Columns from left to right are levels: the longest chain of edges before a node. Within a level
// nodes lie near those they wait for. A level with many nodes is folded into several columns, so
// that the picture keeps the shape of a page. Nodes are of kWidestNode and kNodeHeight at most.
//
// Any graph is laid out; of one with a cycle, the cycle and what lies behind it form the last
// level. Takes 12 bytes a node.
LevelLayout PlaceByLevel(const LevelGraph& graph);

}  // namespace tasklens
