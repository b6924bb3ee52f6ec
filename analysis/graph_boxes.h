// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a graph view stand: coordinates from the run, so that no layout has to be
// searched for, and a node stays where it is while groups are opened and closed.
//
// By level: x is the level, for all nodes alike, so edges lead to the right; by time: x is the
// time. y is a row: nodes that overlap in x lie in different rows, as few as there can be; by time,
// tasks lie in the row of their worker. The parts of a group that is opened lie inside its box.
// Many nodes of one and the same level stand in several columns of it. Boxes of nodes do not
// overlap.
//
// O(n log n) for n parts. Threads: one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/graph_view.h"
#include "trace/model/trace_model.h"

namespace tasklens {

class GraphPlacer {
 public:
  // How many parts stand above each other and side by side.
  struct Grid {
    uint32_t rows = 1, columns = 1;
  };

  GraphPlacer() = default;
  // `whole` says which levels and times the picture spans.
  explicit GraphPlacer(const GraphNode& whole);

  // Sets by_level and by_time of `parts`, in the order of the view, inside those of `frame`.
  void Place(const TraceModel& model, std::span<GraphNode* const> parts, const GraphNode& frame);

  // Of the last Place().
  const Grid& level_grid() const { return level_grid_; }
  const Grid& time_grid() const { return time_grid_; }

 private:
  void PlaceByLevel(std::span<GraphNode* const> parts, const GraphBox& inside);
  void PlaceByTime(const TraceModel& model, std::span<GraphNode* const> parts,
                   const GraphBox& inside);

  uint32_t first_level_ = 0;
  double levels_ = 1;
  int64_t begin_ns_ = 0;
  double length_ns_ = 1;
  Grid level_grid_, time_grid_;
};

}  // namespace tasklens
