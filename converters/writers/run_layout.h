// SPDX-License-Identifier: Apache-2.0
// Coordinates for a run's task graph of any size, see drawing/level_layout.h.
#pragma once

#include <cstddef>

#include "converters/writers/task_graph.h"
#include "drawing/level_layout.h"

namespace tasklens {

// Nodes are tasks, tags and messages.
class RunLayout {
 public:
  LevelLayout::Place OfTask(size_t row) const { return layout_.at[row]; }  // REQUIRES: it is shown
  LevelLayout::Place OfTag(size_t row) const { return layout_.at[first_tag_ + row]; }
  LevelLayout::Place OfMessage(size_t index) const { return layout_.at[first_message_ + index]; }
  const Extent& extent() const { return layout_; }

 private:
  friend RunLayout LayoutByRun(const TraceModel& model, const GraphTasks& graph);
  LevelLayout layout_;  // rows of tasks, rows of tags, messages of the graph
  size_t first_tag_ = 0, first_message_ = 0;
};

RunLayout LayoutByRun(const TraceModel& model, const GraphTasks& graph);

}  // namespace tasklens
