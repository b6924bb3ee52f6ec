// SPDX-License-Identifier: Apache-2.0
// Selects the tasks, tags and dependencies of a picture of the task graph, and their colours.
// Shared by the writers of dag.dot and dag.svg and by all code that lays out a graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/formats.h"
#include "drawing/level_layout.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct GraphOptions {
  bool internal = false;       // also the runtime's own tasks
  bool no_acquire = false;     // not the tasks that acquire data for the main program
  bool label_deps = false;     // label each edge with the cause of the dependency
  bool color_by_name = false;  // a colour for each task name instead of each worker
  bool starvz = false;         // for StarVZ, see dot.cc
  // Relative source files are resolved against this; "" leaves them.
  std::string directory;
};

// Reads the keys internal, no-acquire, label-deps, colors, and directory (default: the program's
// working directory, from the trace).
GraphOptions GraphOptionsOf(const TraceModel& model, const WriteOptions& options);

// A message between two ranks whose tasks are known.
struct GraphMessage {
  uint32_t message;   // row of messages
  uint32_t from, to;  // rows of tasks
  // Where the trace has them: the task that waits for the send, and the task that the receive waits
  // for.
  uint32_t after_send = kNone, before_receive = kNone;
};

// The part of a trace that is in its graph; the edges are the model's dependencies between shown
// tasks. One bit per task, for graphs of any size.
struct GraphTasks {
  std::vector<bool> shown;  // by row of tasks
  std::vector<GraphMessage> messages;
};

// Leaves out a task if the runtime hid it, if the options exclude it as internal or as a data
// acquisition, or if only its number is known; predecessors of a shown task are always shown. All
// tags are shown, see TagTable.
GraphTasks SelectTasks(const TraceModel& model, const GraphOptions& options);

// Coordinates for a graph of any size (drawing/level_layout.h), whose nodes are tasks, tags and
// messages.
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

// The same as lists, for small graphs.
struct TaskGraphEdge {
  uint32_t from, to;  // rows of tasks
  StringId label;
};
struct TaskGraph {
  std::vector<uint32_t> tasks;  // rows shown, ascending
  std::vector<TaskGraphEdge> edges;
  std::vector<GraphMessage> messages;
};

TaskGraph SelectGraph(const TraceModel& model, const GraphOptions& options);

// StarPU's colour of a name: three 10-bit numbers for red, green, blue.
struct NameColor {
  uint32_t red, green, blue;
  uint32_t Rgb() const { return (red / 4) << 16 | (green / 4) << 8 | blue / 4; }
};
NameColor ColorOfName(std::string_view name);

// 0xRRGGBB: the program's own colour, else that of the name.
uint32_t TaskRgb(const TraceModel& model, uint32_t task);

// Whether StarPU's tool writes in white on `rgb`.
inline bool NeedsWhiteText(uint32_t rgb) {
  return ((rgb >> 16 & 255) + (rgb >> 8 & 255) + (rgb & 255)) / 256 <= 1;
}

// "" for a model of one rank, else "RANK_" padded with zeros to the width of the largest rank.
// Index: row of ranks.
std::vector<std::string> RankPrefixes(const TraceModel& model);

// Returns `file` as an absolute path if `directory` makes that possible, without "." and "..".
std::string SourcePath(std::string_view file, std::string_view directory);

}  // namespace tasklens
