// SPDX-License-Identifier: Apache-2.0
// Coordinates for a graph of any size from its edges only: no optimisation, linear time.
#pragma once

#include <cstdint>
#include <vector>

#include "drawing/graph_layout.h"

namespace tasklens {

// A graph whose edges are read in place: a copy of millions of edges would cost more than the
// layout.
class LevelGraph {
 public:
  virtual ~LevelGraph() = default;
  virtual uint32_t size() const = 0;
  virtual bool IsShown(uint32_t node) const = 0;
  // Appends the shown predecessors of `node`.
  virtual void AppendBefore(uint32_t node, std::vector<uint32_t>& before) const = 0;
};

struct LevelLayout : Extent {
  struct Place {
    float x = 0, y = 0;  // whole numbers
  };
  std::vector<Place> at;  // the centres of nodes; unset for nodes that are not shown
};

// Columns from left to right are levels: the longest chain of edges before a node. Within a level
// nodes are placed near their predecessors. A level with many nodes is folded into several columns,
// so that the picture keeps the shape of a page. Nodes are at most kWidestNode wide and kNodeHeight
// high.
//
// Any graph is laid out; a cycle and the nodes after it form the last level. Takes 12 bytes per
// node.
LevelLayout PlaceByLevel(const LevelGraph& graph);

}  // namespace tasklens
