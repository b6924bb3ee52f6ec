// SPDX-License-Identifier: Apache-2.0
// The task graph of a run with coordinates, for dag.svg and for the server's small graphs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converters/writers/task_graph.h"
#include "drawing/graph_layout.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

struct LayoutOptions {
  GraphOptions graph;
  // Graphviz computes the positions of at most this many nodes and edges; those of larger graphs
  // come from the run itself, see LayoutByRun.
  size_t most_graphviz_nodes = kMostGraphvizNodes;
  size_t most_graphviz_edges = kMostGraphvizEdges;
  // Whether to show an edge from one tag to another even if both have tasks that could be joined.
  bool tag_to_tag = true;
};

struct PlacedNode : Box {
  enum class Kind : uint8_t { kTask, kTag, kMessage };
  Kind kind;
  uint32_t row;       // of tasks, tags or messages
  std::string id;     // as in dag.dot: "task_12", "tag_1f", "mpi_3_0"; unique
  std::string label;  // raw text, not escaped
  uint32_t rgb;
};

struct PlacedEdge : EdgePath {
  bool dashed;             // between a tag and its task
  std::string_view label;  // "" unless options.graph.label_deps
};

struct GraphLayout : Extent {
  bool by_graphviz = false;
  std::vector<PlacedNode> nodes;
  std::vector<PlacedEdge> edges;
};

// `graph`: the tasks to show, from SelectGraph(), or any subset of its tasks with the edges between
// them. Fails only if Graphviz does. Threads: any number; calls that need Graphviz wait for each
// other.
Result<GraphLayout> LayoutGraph(const TraceModel& model, const TaskGraph& graph,
                                const LayoutOptions& options);
Result<GraphLayout> LayoutGraph(const TraceModel& model, const LayoutOptions& options);

// Writes the elements of tasks in pictures of graphs: id, class "node task", data-job, data-rank
// and, if the submission site is known, data-file, data-line and a link to file://FILE#LINE.
class SvgTasks {
 public:
  // Relative files are resolved against `directory`; "" leaves them. Both must outlive this.
  SvgTasks(const TraceModel& model, const std::string& directory)
      : model_(model), directory_(directory) {}
  // Appends the beginning of an element; returns its end.
  std::string_view Begin(uint32_t task, std::string_view id, std::string& out);

 private:
  const std::string& SiteAttributes(uint32_t site);

  const TraceModel& model_;
  const std::string& directory_;
  std::vector<std::string> sites_;  // by site: the part that is the same for all of its tasks
};

// Returns the picture: every node is an element of class "node", every edge a path with data-from
// and data-to. All text from the trace is escaped.
std::string DrawSvg(const TraceModel& model, const GraphLayout& layout,
                    const LayoutOptions& options);

}  // namespace tasklens
