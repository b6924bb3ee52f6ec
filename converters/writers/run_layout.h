// SPDX-License-Identifier: Apache-2.0
// Coordinates for a task graph of any size, from the run itself: no optimisation, linear time.
#pragma once

#include <vector>

#include "converters/writers/task_graph.h"

namespace tasklens {

// Columns from left to right are levels: the longest chain of dependencies before a node. Within a
// level nodes lie near those they wait for. A level with many nodes is folded into several
// columns, so that the picture keeps the shape of a page. y grows downwards; x and y are the
// centres of nodes, in units of 1/72 inch.
struct RunLayout {
  struct Point {
    double x = 0, y = 0;
  };
  std::vector<Point> tasks;     // as TaskGraph::tasks
  std::vector<Point> tags;      // as the rows of TagTable
  std::vector<Point> messages;  // as TaskGraph::messages
  double width = 0, height = 0;
};

inline constexpr double kNodeHeight = 28;
inline constexpr double kWidestNode = 150;

// Any graph is laid out; of one with a cycle (which only a damaged trace has), what lies behind the
// cycle forms the last level.
RunLayout LayoutByRun(const TraceModel& model, const TaskGraph& graph);

}  // namespace tasklens
