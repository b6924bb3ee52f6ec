// SPDX-License-Identifier: Apache-2.0
// The graph and the timeline as JSON.
#include "server/answers/answers.h"
#include "server/answers/common.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

namespace {

std::string_view KindName(TrackKind kind) {
  switch (kind) {
    case TrackKind::kWorker: return "worker";
    case TrackKind::kThread: return "thread";
    case TrackKind::kMemoryNode: return "memory_node";
    case TrackKind::kComm: return "comm";
  }
  return "thread";
}

Json SliceAnswer(const TraceModel& model, const TimelineSlice& slice) {
  return {{"start_ns", slice.start_ns},
          {"end_ns", slice.end_ns},
          {"state", Decl(model.states.kind[slice.state]).name},
          {"count", slice.count},
          {"task", TaskAnswer(model, model.states.task[slice.state])}};
}

}  // namespace

Json GraphAnswer(const TraceModel& model, const GraphView& view) {
  Json nodes = Json::array(), edges = Json::array();
  for (const GraphNode& node : view.nodes)
    nodes.push_back({{"id", node.id},
                     {"parent", node.parent},
                     {"label", node.label},
                     {"tasks", node.tasks},
                     {"task", TaskAnswer(model, node.task)},
                     {"total_ns", node.total_ns},
                     {"start_ns", TimeOrNull(node.start_ns)},
                     {"end_ns", TimeOrNull(node.end_ns)},
                     {"first_level", node.first_level},
                     {"last_level", node.last_level},
                     {"can_open", node.can_open}});
  for (const GraphEdge& edge : view.edges)
    edges.push_back({{"from", edge.from}, {"to", edge.to}, {"count", edge.count}});
  return {{"caption", view.Caption()},
          {"tasks_shown", view.tasks_shown},
          {"tasks_total", view.tasks_total},
          {"dependencies_inside", view.dependencies_inside},
          {"dependencies_left_out", view.dependencies_left_out},
          {"not_opened", view.not_opened},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)}};
}

Json TimelineAnswer(const TraceModel& model, const TimelineIndex& index, int64_t begin_ns,
                    int64_t end_ns, uint32_t pixels) {
  Json rows = Json::array();
  for (uint32_t track = 0; track < model.tracks.size(); ++track) {
    Json layers = Json::array();
    for (uint32_t depth = 0; depth < index.Depths(track); ++depth) {
      Json slices = Json::array();
      for (const TimelineSlice& slice : index.Slices(track, depth, begin_ns, end_ns, pixels))
        slices.push_back(SliceAnswer(model, slice));
      layers.push_back(std::move(slices));
    }
    rows.push_back({{"name", model.str(model.tracks.name[track])},
                    {"kind", KindName(model.tracks.kind[track])},
                    {"rank", model.ranks.rank[model.tracks.rank_index[track]]},
                    {"layers", std::move(layers)}});
  }
  return {{"begin_ns", begin_ns}, {"end_ns", end_ns}, {"pixels", pixels}, {"rows", rows}};
}

}  // namespace tasklens
