// SPDX-License-Identifier: Apache-2.0
// Converts shares of a picture to coordinates; Graphviz places small graphs.
#include "server/pictures/graph_picture.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "analysis/execution_order.h"
#include "analysis/text.h"
#include "converters/writers/svg_layout.h"
#include "drawing/graph_boxes.h"
#include "drawing/svg.h"
#include "server/pictures/arrangement.h"

namespace tasklens {
namespace {

constexpr std::string_view kPlacements[] = {"graphviz", "levels", "time"};
constexpr std::string_view kGlyphKinds[] = {"task", "group", "tag", "message"};

// The width of a column and the height of a row in a closed picture, and the shares of a cell that
// a node covers.
constexpr double kColumn = 130, kRow = 52, kWidthShare = 0.78, kHeightShare = 0.7;
constexpr double kLeastWidth = 600, kLeastHeight = 120, kMostWidth = 30'000, kMostHeight = 30'000;

// The most nodes of a part of a graph that Graphviz places.
constexpr size_t kMostPartNodes = 100;

GraphGlyph GlyphOf(const GraphNode& node) {
  GraphGlyph glyph;
  glyph.kind = node.task == kNone ? GlyphKind::kGroup : GlyphKind::kTask;
  glyph.node = node;
  return glyph;
}

void PlaceByLevel(GraphPicture& picture) {
  const auto in_run = [&](const std::vector<GraphGlyph>& glyphs) {
    std::vector<NodeOfRun> nodes;
    for (const GraphGlyph& glyph : glyphs)
      nodes.push_back({glyph.frame, glyph.node.first_level, glyph.node.last_level});
    return nodes;
  };
  const GraphBoxes boxes = BoxesOf(BoxesBy::kLevel, in_run(picture.nodes), in_run(picture.frames));
  picture.width = std::clamp(boxes.columns * kColumn, kLeastWidth, kMostWidth);
  picture.height = std::clamp(boxes.rows * kRow, kLeastHeight, kMostHeight);
  const auto place = [&](GraphGlyph& glyph, const GraphBox& box, double width_share,
                         double height_share) {
    glyph.x = (box.x + box.width / 2) * picture.width;
    glyph.y = (box.y + box.height / 2) * picture.height;
    glyph.width = box.width * width_share * picture.width;
    glyph.height = box.height * height_share * picture.height;
  };
  for (size_t i = 0; i < picture.nodes.size(); ++i)
    place(picture.nodes[i], boxes.nodes[i], kWidthShare, kHeightShare);
  for (size_t i = 0; i < picture.frames.size(); ++i)
    place(picture.frames[i], boxes.frames[i], 1, 0.96);
}

// Passes only sizes of nodes to Graphviz.
Status PlaceWithGraphviz(GraphPicture& picture) {
  if (picture.nodes.size() > kMostGraphvizNodes || picture.edges.size() > kMostGraphvizEdges)
    return Status(ErrorCode::kInvalidArgument,
                  "the layout graphviz is for at most " + CountText(kMostGraphvizNodes) +
                      " nodes and " + CountText(kMostGraphvizEdges) + " edges, not " +
                      CountText(picture.nodes.size()) + " and " + CountText(picture.edges.size()) +
                      "; ask for levels or time");
  for (GraphGlyph& glyph : picture.nodes) {
    glyph.width = NodeWidth(glyph.node.label);
    glyph.height = kNodeHeight;
  }
  if (Status s = PlaceByGraphviz(picture); !s.ok()) return s;
  picture.frames.clear();  // Graphviz does not keep the members of a group together
  for (GraphGlyph& glyph : picture.nodes) glyph.frame = kNone;
  return Status::Ok();
}

// `mean`: of the measure that the colours show; nullptr for names.
void Colour(const TaskColours& colours, const double* mean, GraphGlyph& glyph) {
  const GraphNode& node = glyph.node;
  const std::vector<LegendEntry>& entries = colours.legend().entries;
  if (mean != nullptr) {
    glyph.colour = colours.EntryOfValue(*mean);
    glyph.paint = entries[glyph.colour].paint();
  } else if (colours.by() == ColourBy::kCodelet && !node.one_name) {
    glyph.paint = {kMixedRgb};
  } else {
    glyph.colour = colours.EntryOf(node.first_task);
    glyph.paint = glyph.kind == GlyphKind::kTask ? colours.PaintOf(node.task)
                                                 : colours.GroupPaintOf(node.first_task);
  }
}

// The graph of `selection`. The messages between its tasks are nodes, as in `graph`.
TaskGraph Selected(const TraceModel& model, TaskGraph graph, const TaskSelection& selection) {
  const auto is_out = [&](uint32_t task) { return task != kNone && !selection.is_shown[task]; };
  std::erase_if(graph.messages,
                [&](const GraphMessage& ends) { return is_out(ends.from) || is_out(ends.to); });
  std::set<std::pair<uint32_t, uint32_t>> with_node;
  for (const GraphMessage& ends : graph.messages) with_node.emplace(ends.from, ends.to);
  graph.tasks.clear();
  graph.edges.clear();
  for (uint32_t task = 0; task < selection.is_shown.size(); ++task) {
    if (!selection.is_shown[task]) continue;
    graph.tasks.push_back(task);
    for (const DepEnd& dep : model.predecessors[task])
      if (selection.is_shown[dep.task]) graph.edges.push_back({dep.task, task, dep.label});
    for (const uint32_t before : selection.dependencies.Joined(task))
      if (!with_node.contains({before, task})) graph.edges.push_back({before, task, StringId{}});
  }
  return graph;
}

// Draws a whole small graph; nullopt if it has more than `most_tasks` or is too large for Graphviz.
Result<std::optional<GraphPicture>> DrawSmallGraph(const TraceModel& model,
                                                   const TaskSelection& selection,
                                                   const TaskColours& colours, size_t most_tasks) {
  if (selection.count > most_tasks) return std::optional<GraphPicture>();
  LayoutOptions options;
  options.graph.internal = true;  // `selection` filters them
  options.tag_to_tag = false;     // connects the tasks directly
  const TaskGraph graph = Selected(model, SelectGraph(model, options.graph), selection);
  const size_t nodes = graph.tasks.size() + model.tags.size() + graph.messages.size();
  const size_t edges = graph.edges.size() + model.tags.deps.size() + model.tags.owners.size() +
                       2 * graph.messages.size();
  if (nodes > kMostGraphvizNodes || edges > kMostGraphvizEdges)
    return std::optional<GraphPicture>();
  Result<GraphLayout> layout = LayoutGraph(model, graph, options);
  if (!layout.ok()) return layout.status();

  GraphPicture picture;
  picture.placement = GraphPlacement::kGraphviz;
  static_cast<Extent&>(picture) = *layout;
  picture.legend = colours.legend();
  picture.caption =
      TasksCaption(selection.count, selection.count, selection.dependencies.worth_seeing().size());
  for (const PlacedNode& placed : layout->nodes) {
    GraphGlyph glyph{placed};
    glyph.kind = placed.kind == PlacedNode::Kind::kTask  ? GlyphKind::kTask
                 : placed.kind == PlacedNode::Kind::kTag ? GlyphKind::kTag
                                                         : GlyphKind::kMessage;
    glyph.node.id = placed.id;
    glyph.node.label = placed.label;
    if (glyph.kind == GlyphKind::kTask) {
      GraphNode& node = glyph.node;
      node.task = node.first_task = placed.row;
      node.tasks = 1;
      glyph.colour = colours.EntryOf(placed.row);
      glyph.paint = colours.PaintOf(placed.row);
      node.start_ns = model.tasks.start_ns[placed.row];
      node.end_ns = model.tasks.end_ns[placed.row];
      if (Executed(model.tasks, placed.row)) node.total_ns = model.tasks.RunNs(placed.row);
    }
    picture.nodes.push_back(std::move(glyph));
  }
  for (PlacedEdge& placed : layout->edges)
    picture.edges.push_back({std::move(placed), 1, placed.dashed});
  return std::optional<GraphPicture>(std::move(picture));
}

}  // namespace

std::optional<GraphPlacement> ParseGraphPlacement(std::string_view name) {
  for (size_t i = 0; i < std::size(kPlacements); ++i)
    if (kPlacements[i] == name) return static_cast<GraphPlacement>(i);
  return std::nullopt;
}

std::string_view GlyphKindName(GlyphKind kind) { return kGlyphKinds[static_cast<size_t>(kind)]; }

GraphPicture PaintView(const GraphView& view, const TaskColours& colours,
                       const std::vector<double>& means) {
  GraphPicture picture;
  picture.legend = colours.legend();
  picture.caption = view.Caption();
  std::unordered_map<std::string_view, uint32_t> frame_of;
  for (const GraphNode& frame : view.frames) {
    const auto outer = frame_of.find(frame.parent);
    GraphGlyph glyph = GlyphOf(frame);
    glyph.colour = colours.EntryOf(frame.first_task);
    glyph.frame = outer == frame_of.end() ? kNone : outer->second;
    frame_of[frame.id] = static_cast<uint32_t>(picture.frames.size());
    picture.frames.push_back(std::move(glyph));
  }
  for (size_t i = 0; i < view.nodes.size(); ++i) {
    GraphGlyph glyph = GlyphOf(view.nodes[i]);
    const auto frame = frame_of.find(glyph.node.parent);
    glyph.frame = frame == frame_of.end() ? kNone : frame->second;
    Colour(colours, means.empty() ? nullptr : &means[i], glyph);
    picture.nodes.push_back(std::move(glyph));
  }
  for (const GraphEdge& edge : view.edges)
    picture.edges.push_back({{edge.from, edge.to, {}}, edge.count});
  return picture;
}

Status Place(const TraceModel& model, GraphPlacement placement, GraphPicture& picture) {
  picture.placement = placement;
  if (placement == GraphPlacement::kGraphviz) return PlaceWithGraphviz(picture);
  if (placement == GraphPlacement::kLevels) PlaceByLevel(picture);
  if (placement == GraphPlacement::kTime) StretchTime(model, picture);
  return Status::Ok();
}

Result<GraphPicture> DrawGraph(const TraceModel& model, const TaskSelection& selection,
                               const TaskColours& colours, GraphPicture view,
                               std::optional<GraphPlacement> placement, bool is_part,
                               size_t most_plain_tasks) {
  if (most_plain_tasks > 0 &&
      placement.value_or(GraphPlacement::kGraphviz) == GraphPlacement::kGraphviz) {
    auto small = DrawSmallGraph(model, selection, colours, most_plain_tasks);
    if (!small.ok()) return small.status();
    if (*small) return std::move(**small);
  }
  const bool is_small = is_part && view.frames.empty() && view.nodes.size() <= kMostPartNodes &&
                        view.edges.size() <= 2 * kMostPartNodes;
  if (!placement) placement = is_small ? GraphPlacement::kGraphviz : GraphPlacement::kLevels;
  if (Status s = Place(model, *placement, view); !s.ok()) return s;
  return view;
}

}  // namespace tasklens
