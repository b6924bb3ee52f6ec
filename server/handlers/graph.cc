// SPDX-License-Identifier: Apache-2.0
// tasklens/graph: the task graph with coordinates, as a picture, and with the source of each node.
#include <unordered_set>

#include "analysis/text.h"
#include "converters/writers/svg_layout.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

// What one picture may hold; a client could neither draw nor read more.
constexpr size_t kMaxNodes = 2000;
constexpr size_t kMaxEdges = 4000;

struct Params {
  std::string trace;
  bool svg = true;
  uint32_t max_nodes = kMaxNodes;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("svg", svg);
    fields.Optional("maxNodes", max_nodes);
  }
};

// Keeps the first tasks and the edges between them, up to the limits.
TaskGraph FirstTasks(TaskGraph graph, size_t max_nodes) {
  graph.tasks.resize(std::min(graph.tasks.size(), std::min(max_nodes, kMaxNodes)));
  const std::unordered_set<uint32_t> kept(graph.tasks.begin(), graph.tasks.end());
  std::erase_if(graph.edges, [&](const auto& edge) {
    return !kept.contains(edge.from) || !kept.contains(edge.to);
  });
  if (graph.edges.size() > kMaxEdges) graph.edges.resize(kMaxEdges);
  std::erase_if(graph.messages, [&](const GraphMessage& message) {
    return (message.from != kNone && !kept.contains(message.from)) ||
           (message.to != kNone && !kept.contains(message.to));
  });
  if (graph.messages.size() > kMaxNodes) graph.messages.resize(kMaxNodes);
  return graph;
}

json NodeJson(const OpenTrace& trace, const PlacedNode& node) {
  json out = node.kind == PlacedNode::Kind::kTask ? TaskJson(trace, node.row) : json::object();
  out["id"] = node.id;
  out["kind"] = node.kind == PlacedNode::Kind::kTask  ? "task"
                : node.kind == PlacedNode::Kind::kTag ? "tag"
                                                      : "message";
  out["label"] = node.label;
  out["rgb"] = node.rgb;
  out["x"] = node.x;
  out["y"] = node.y;
  out["width"] = node.width;
  out["height"] = node.height;
  return out;
}

json EdgeJson(const PlacedEdge& edge) {
  json points = json::array();
  for (const PlacedEdge::Point& point : edge.points) points.push_back({point.x, point.y});
  return {{"from", edge.from}, {"to", edge.to}, {"dashed", edge.dashed}, {"points", points}};
}

Result<json> Graph(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const TraceModel& model = *trace.model;
  LayoutOptions options;
  options.with_svg = params.svg;
  options.graph.directory = trace.directory;
  const TaskGraph all = SelectGraph(model, options.graph);
  const TaskGraph shown = FirstTasks(all, params.max_nodes);
  if (call.IsCancelled()) return Status(ErrorCode::kCancelled, "cancelled");
  Result<GraphLayout> layout = LayoutGraph(model, shown, options);
  if (!layout.ok()) return layout.status();

  json nodes = json::array(), edges = json::array(), sites = json::object();
  for (const PlacedNode& node : layout->nodes) {
    nodes.push_back(NodeJson(trace, node));
    if (node.kind != PlacedNode::Kind::kTask) continue;
    const uint32_t site = model.tasks.site[node.row];
    if (site >= model.sites.size()) continue;
    json& source = sites[std::to_string(site)];
    if (source.is_null()) source = SiteJson(session, trace, site);
  }
  for (const PlacedEdge& edge : layout->edges) edges.push_back(EdgeJson(edge));
  return json{
      {"trace", trace.id},
      {"caption", CountText(shown.tasks.size()) + " of " + CountText(all.tasks.size()) + " tasks"},
      {"tasksShown", shown.tasks.size()},
      {"tasksTotal", all.tasks.size()},
      {"edgesTotal", all.edges.size()},
      {"width", layout->width},
      {"height", layout->height},
      {"nodes", std::move(nodes)},
      {"edges", std::move(edges)},
      {"sites", std::move(sites)},
      {"svg", params.svg ? json(std::move(layout->svg)) : json()}};
}

}  // namespace

extern const RequestSpec kGraphRequest;
const RequestSpec kGraphRequest = Request<&Graph>("tasklens/graph");

}  // namespace tasklens
