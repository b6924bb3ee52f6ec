// SPDX-License-Identifier: Apache-2.0
// Coordinates for a task graph of any size, from the run itself: no optimisation, linear time.
#pragma once

#include <cstddef>
#include <vector>

#include "converters/writers/task_graph.h"

namespace tasklens {

// Columns from left to right are levels: the longest chain of dependencies before a node. Within a
// level nodes lie near those they wait for. A level with many nodes is folded into several
// columns, so that the picture keeps the shape of a page. y grows downwards; x and y are the
// centres of nodes, in units of 1/72 inch.
class RunLayout {
 public:
  struct Point {
    float x = 0, y = 0;  // whole numbers
  };
  Point OfTask(size_t row) const { return at_[row]; }  // REQUIRES: it is shown
  Point OfTag(size_t row) const { return at_[first_tag_ + row]; }
  Point OfMessage(size_t index) const { return at_[first_message_ + index]; }
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  friend RunLayout LayoutByRun(const TraceModel& model, const GraphTasks& graph);
  std::vector<Point> at_;  // rows of tasks, rows of tags, messages of the graph
  size_t first_tag_ = 0, first_message_ = 0;
  double width_ = 0, height_ = 0;
};

inline constexpr double kNodeHeight = 28;
inline constexpr double kWidestNode = 150;

// Any graph is laid out; of one with a cycle (which only a damaged trace has), the cycle and what
// lies behind it form the last level. Takes 12 bytes a task.
RunLayout LayoutByRun(const TraceModel& model, const GraphTasks& graph);

}  // namespace tasklens
