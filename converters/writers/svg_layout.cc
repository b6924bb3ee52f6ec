// SPDX-License-Identifier: Apache-2.0
// From a task graph to placed nodes and edges.
#include "converters/writers/svg_layout.h"

#include <algorithm>

#include "converters/writers/text.h"
#include "drawing/svg.h"
#include "trace/colours/colours.h"

namespace tasklens {
namespace {

std::string Hex(uint64_t value) {
  char digits[16];
  return {digits, std::to_chars(digits, digits + 16, value, 16).ptr};
}

void AddNode(GraphLayout& layout, PlacedNode::Kind kind, uint32_t row, std::string id,
             std::string label, uint32_t rgb) {
  const double width = NodeWidth(label);
  layout.nodes.push_back(
      {{0, 0, width, kNodeHeight}, kind, row, std::move(id), std::move(label), rgb});
}

GraphLayout NodesAndEdges(const TraceModel& model, const TaskGraph& graph,
                          const LayoutOptions& layout_options) {
  const GraphOptions& options = layout_options.graph;
  GraphLayout layout;
  const std::vector<std::string> prefixes = RankPrefixes(model);
  const NameColours colours(model);
  std::vector<uint32_t> node_of_task(model.tasks.size(), kNone);
  for (const uint32_t task : graph.tasks) {
    node_of_task[task] = static_cast<uint32_t>(layout.nodes.size());
    const std::string id =
        prefixes[model.tasks.rank_index[task]] + std::to_string(model.tasks.job[task]);
    const StringId name = model.tasks.name[task];
    AddNode(layout, PlacedNode::Kind::kTask, task, "task_" + id,
            name ? CleanText(model.str(name)) : "task " + id, colours.OfTask(task).rgb);
  }
  const uint32_t first_tag = static_cast<uint32_t>(layout.nodes.size());
  for (uint32_t tag = 0; tag < model.tags.size(); ++tag) {
    const std::string id = prefixes[model.tags.rank_index[tag]] + Hex(model.tags.tag[tag]);
    AddNode(layout, PlacedNode::Kind::kTag, tag, "tag_" + id, "tag " + id, 0xFFFFFF);
  }
  const auto connect = [&](uint32_t from, uint32_t to, bool dashed, std::string_view label) {
    if (from == kNone || to == kNone) return;
    layout.edges.push_back({{from, to, {}}, dashed, options.label_deps ? label : ""});
  };
  for (const TaskGraphEdge& edge : graph.edges)
    connect(node_of_task[edge.from], node_of_task[edge.to], false, model.str(edge.label));
  std::vector<bool> has_task(model.tags.size());
  for (const auto& [tag, task] : model.tags.owners)
    if (node_of_task[task] != kNone) has_task[tag] = true;
  for (const auto& [father, child] : model.tags.deps)
    if (layout_options.tag_to_tag || !has_task[father] || !has_task[child])
      connect(first_tag + father, first_tag + child, false, "tag");
  for (const auto& [tag, task] : model.tags.owners)
    connect(node_of_task[task], first_tag + tag, true, "tag");
  for (const GraphMessage& message : graph.messages) {
    const uint32_t node = static_cast<uint32_t>(layout.nodes.size());
    const std::string tag = std::to_string(model.messages.tag[message.message]);
    AddNode(layout, PlacedNode::Kind::kMessage, message.message,
            "mpi_" + tag + "_" + std::to_string(message.message), "tag " + tag, 0xEEEEEE);
    connect(node_of_task[message.from], node, false, "mpi");
    connect(node, node_of_task[message.to], false, "mpi");
    if (message.after_send != kNone) connect(node, node_of_task[message.after_send], false, "mpi");
    if (message.before_receive != kNone)
      connect(node_of_task[message.before_receive], node, false, "mpi");
  }
  return layout;
}

void PlaceByRun(const TraceModel& model, const TaskGraph& graph, GraphLayout& layout) {
  GraphTasks shown{std::vector<bool>(model.tasks.size()), graph.messages};
  for (const uint32_t task : graph.tasks) shown.shown[task] = true;
  const RunLayout run = LayoutByRun(model, shown);
  static_cast<Extent&>(layout) = run.extent();
  size_t message = 0;
  for (PlacedNode& node : layout.nodes) {
    const LevelLayout::Place at = node.kind == PlacedNode::Kind::kTask  ? run.OfTask(node.row)
                                  : node.kind == PlacedNode::Kind::kTag ? run.OfTag(node.row)
                                                                        : run.OfMessage(message++);
    node.x = at.x;
    node.y = at.y;
  }
}

}  // namespace

Result<GraphLayout> LayoutGraph(const TraceModel& model, const TaskGraph& graph,
                                const LayoutOptions& options) {
  GraphLayout layout = NodesAndEdges(model, graph, options);
  if (layout.nodes.size() <= options.most_graphviz_nodes &&
      layout.edges.size() <= options.most_graphviz_edges) {
    if (Status placed = PlaceByGraphviz(layout); !placed.ok()) return placed;
    layout.by_graphviz = true;
  } else {
    PlaceByRun(model, graph, layout);
  }
  for (PlacedEdge& edge : layout.edges)
    if (edge.points.empty()) edge.points = Route(layout.nodes[edge.from], layout.nodes[edge.to]);
  return layout;
}

Result<GraphLayout> LayoutGraph(const TraceModel& model, const LayoutOptions& options) {
  return LayoutGraph(model, SelectGraph(model, options.graph), options);
}

}  // namespace tasklens
