// SPDX-License-Identifier: Apache-2.0
// A view of the graph as it is drawn: boxes, curves, colours.
//
// Coordinates as in drawing/graph_layout.h.
// Pure functions; any thread (those that need Graphviz wait for each other).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/colours.h"
#include "analysis/graph_view.h"
#include "drawing/graph_layout.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

enum class GraphPlacement : uint8_t {
  kGraphviz,  // its dot engine: for what is small
  kLevels,    // x is the level, y a row: drawing/graph_boxes.h
  kTime,      // x is the time, y a row, of tasks that of their worker
};
// "graphviz", "levels", "time".
std::optional<GraphPlacement> ParseGraphPlacement(std::string_view name);

enum class GlyphKind : uint8_t { kTask, kGroup, kTag, kMessage };
std::string_view GlyphKindName(GlyphKind kind);  // "task", "group", "tag", "message"

struct GraphGlyph : Box {
  GlyphKind kind = GlyphKind::kGroup;
  uint32_t colour = 0;     // entry of the legend
  Paint paint;             // how it is painted: that entry's, or a colour of its own
  uint32_t frame = kNone;  // index of the innermost frame around it
  // What it stands for. Of a tag or a message only id and label are meant.
  GraphNode node;
};

struct GraphCurve : EdgePath {
  uint64_t count = 1;  // dependencies
  bool dashed = false;
};

// A row of a picture by time.
struct Lane {
  std::string name;
  double y;
};

struct GraphPicture : Extent {
  GraphPlacement placement = GraphPlacement::kLevels;
  std::vector<GraphGlyph> nodes;
  std::vector<GraphGlyph> frames;  // open groups, outer ones first; to be drawn beneath the nodes
  std::vector<GraphCurve> edges;
  std::vector<Lane> lanes;  // by time, where each node is a task
  Legend legend;
  std::string caption;
};

// What is shown, and in which colours, without places. `means` as GraphBrowser::Means() gives them
// for the values of `colours`; empty for names.
GraphPicture PaintView(const GraphView& view, const TaskColours& colours,
                       const std::vector<double>& means);

// Gives its nodes, frames and edges places. Fails where Graphviz does, and when it is asked for too
// much.
Status Place(const TraceModel& model, GraphPlacement placement, GraphPicture& picture);

// A graph of so few tasks is shown task by task, where nothing else was asked for.
inline constexpr size_t kFewTasks = 500;

// `view` with places. Without a `placement`, Graphviz places what is small and need not keep its
// place in a larger picture: a part of the graph (`is_part`), or a whole one that is shown task by
// task for want of a wish, of `most_plain_tasks` at most (0: it is not). Such a whole one also
// shows its tags and messages, as dag.svg does, but that tasks which wait for each other by tags
// are joined themselves.
Result<GraphPicture> DrawGraph(const TraceModel& model, const TaskSelection& selection,
                               const TaskColours& colours, GraphPicture view,
                               std::optional<GraphPlacement> placement, bool is_part,
                               size_t most_plain_tasks);

}  // namespace tasklens
