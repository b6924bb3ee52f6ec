// SPDX-License-Identifier: Apache-2.0
// Nodes and edges of a graph with coordinates. There are several layouts, because each is best for
// a different case: Graphviz for small graphs, because it minimises crossings (PlaceByGraphviz); by
// levels for a whole run of any size (level_layout.h); in boxes for groups that open
// (graph_boxes.h). The page of a run has its own, because a report has no server:
// ide-plugin/webview/views/graph_layout.js.
//
// x grows to the right, y downwards. Units: 1/72 inch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct Extent {
  double width = 0, height = 0;
};

// A node; x and y are those of its centre.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double left() const { return x - width / 2; }
  double right() const { return x + width / 2; }
  double top() const { return y - height / 2; }
  double bottom() const { return y + height / 2; }
};

struct Point {
  double x, y;
};

// An edge between two nodes, which are indices.
struct EdgePath {
  uint32_t from = 0, to = 0;
  std::vector<Point> points;  // a chain of cubic Bézier curves: 3n + 1 points; empty: not placed
                              // yet
};

inline constexpr double kNodeHeight = 28, kNarrowestNode = 44, kWidestNode = 150;
// Graphviz is not used above these limits. Measured with dot 2.43 on graphs of a tiled Cholesky
// factorisation, in seconds of one core: 0.2 for 560 nodes and 1,365 edges, 1.1 for 969 and 2,448,
// 5.6 for 2,024 and 5,313; the time grows with the cube.
inline constexpr size_t kMostGraphvizNodes = 600, kMostGraphvizEdges = 1500;

// Places nodes, whose sizes are given, and edges with the dot engine of Graphviz's library, and
// sets the size of `whole`. Fails only if Graphviz does (kInternal, with its message). Threads: any
// number; calls wait for each other.
Status PlaceByGraphviz(std::span<Box* const> nodes, std::span<EdgePath* const> edges,
                       Extent& whole);

// `graph` is an Extent with nodes and edges.
template <class Graph>
Status PlaceByGraphviz(Graph& graph) {
  std::vector<Box*> nodes;
  for (Box& node : graph.nodes) nodes.push_back(&node);
  std::vector<EdgePath*> edges;
  for (EdgePath& edge : graph.edges) edges.push_back(&edge);
  return PlaceByGraphviz(nodes, edges, graph);
}

}  // namespace tasklens
