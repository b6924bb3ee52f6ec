// SPDX-License-Identifier: Apache-2.0
// A task graph with coordinates, and as an SVG picture. Used by the writer of dag.svg and by the
// server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "converters/writers/task_graph.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

struct LayoutOptions {
  GraphOptions graph;
  // Up to so many nodes and edges Graphviz computes the positions; above, they come from the run
  // itself, see LayoutByRun. Measured with dot 2.43 on graphs of a tiled Cholesky factorisation, in
  // seconds of one core: 0.2 for 560 nodes and 1,365 edges, 1.1 for 969 and 2,448, 5.6 for 2,024
  // and 5,313; it grows with the cube.
  size_t most_graphviz_nodes = 600;
  size_t most_graphviz_edges = 1500;
  bool with_svg = true;
  // Whether one tag leads to another also where both have tasks, so that these can be joined.
  bool tag_to_tag = true;
};

// x grows to the right, y downwards; x and y of a node are those of its centre. Units: 1/72 inch.
struct PlacedNode {
  enum class Kind : uint8_t { kTask, kTag, kMessage };
  Kind kind;
  uint32_t row;       // of tasks, tags or messages
  std::string id;     // as in dag.dot: "task_12", "tag_1f", "mpi_3_0"; unique
  std::string label;  // raw text, not escaped
  uint32_t rgb;
  double x, y, width, height;
};

struct PlacedEdge {
  uint32_t from, to;       // indices of nodes
  bool dashed;             // between a tag and its task
  std::string_view label;  // "" unless options.graph.label_deps
  struct Point {
    double x, y;
  };
  std::vector<Point> points;  // of a chain of cubic Bézier curves: 3n + 1
};

struct GraphLayout {
  double width = 0, height = 0;
  bool by_graphviz = false;
  std::vector<PlacedNode> nodes;
  std::vector<PlacedEdge> edges;
  std::string svg;  // a whole document, see DrawSvg; "" when not wanted
};

// `graph` says which tasks to show; SelectGraph() makes one, and any subset of its tasks with the
// edges between them is one as well. Fails only when Graphviz does (kInternal, with its words).
// Threads: any number; calls that need Graphviz wait for each other.
Result<GraphLayout> LayoutGraph(const TraceModel& model, const TaskGraph& graph,
                                const LayoutOptions& options);
Result<GraphLayout> LayoutGraph(const TraceModel& model, const LayoutOptions& options);

// The picture: every task an element with id, class "node", data-job, data-rank and, where its
// submission site is known, data-file, data-line and a link to file://FILE#LINE; every edge a path
// with data-from and data-to. Everything that comes from the trace is escaped.
std::string DrawSvg(const TraceModel& model, const GraphLayout& layout,
                    const LayoutOptions& options);

// Gives `layout` positions, computed by the dot engine of Graphviz's library.
Status PlaceByGraphviz(GraphLayout& layout);

}  // namespace tasklens
