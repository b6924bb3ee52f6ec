// SPDX-License-Identifier: Apache-2.0
// A view of the graph ready to be drawn: boxes, curves, colours.
//
// Coordinates as in drawing/graph_layout.h.
// Threads: pure functions; those that use Graphviz are serialized.
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
  kGraphviz,  // Graphviz' dot engine: for small graphs
  kLevels,    // x is the level, y a row: drawing/graph_boxes.h
  kTime,      // x is the time, y a row; tasks are in the row of their worker
};
// "graphviz", "levels", "time".
std::optional<GraphPlacement> ParseGraphPlacement(std::string_view name);

enum class GlyphKind : uint8_t { kTask, kGroup, kTag, kMessage };
std::string_view GlyphKindName(GlyphKind kind);  // "task", "group", "tag", "message"

struct GraphGlyph : Box {
  GlyphKind kind = GlyphKind::kGroup;
  uint32_t colour = 0;     // entry of the legend
  Paint paint;             // of the legend entry, or a colour of its own
  uint32_t frame = kNone;  // index of the innermost frame around it
  // The node that is drawn. For a tag or a message only id and label are set.
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

// Makes a picture without positions: contents and colours. `means`: as from GraphBrowser::Means()
// for the values of `colours`; empty if tasks are coloured by names.
GraphPicture PaintView(const GraphView& view, const TaskColours& colours,
                       const std::vector<double>& means);

// Sets the positions of nodes, frames and edges. Fails if Graphviz fails or if the picture is too
// large.
Status Place(const TraceModel& model, GraphPlacement placement, GraphPicture& picture);

// A graph of at most this many tasks is shown task by task unless the request says otherwise.
inline constexpr size_t kFewTasks = 500;

// Returns `view` with positions. Without a `placement`, Graphviz arranges small pictures whose
// nodes need not keep their places in a larger one: a part of the graph (`is_part`), or a whole
// graph of at most `most_plain_tasks` tasks that is shown task by task by default (0: it is not).
// Such a whole graph also shows tags and messages, as dag.svg does, but tasks that wait for each
// other through tags are connected directly.
Result<GraphPicture> DrawGraph(const TraceModel& model, const TaskSelection& selection,
                               const TaskColours& colours, GraphPicture view,
                               std::optional<GraphPlacement> placement, bool is_part,
                               size_t most_plain_tasks);

}  // namespace tasklens
