// SPDX-License-Identifier: Apache-2.0
// The graph and the timeline as JSON.
#include "server/answers/answers.h"
#include "server/answers/common.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

namespace {

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

Json TimelineAnswer(const TraceModel& model, const TimelineRows& rows, const TimelineIndex& index,
                    int64_t begin_ns, int64_t end_ns, uint32_t pixels) {
  Json shown = Json::array();
  for (const TimelineRow& row : rows.rows) {
    Json layers = Json::array();
    const uint32_t depths = row.track == kNone ? 0 : index.Depths(row.track);
    for (uint32_t depth = 0; depth < depths; ++depth) {
      Json slices = Json::array();
      for (const TimelineSlice& slice : index.Slices(row.track, depth, begin_ns, end_ns, pixels))
        slices.push_back(SliceAnswer(model, slice));
      layers.push_back(std::move(slices));
    }
    shown.push_back({{"name", row.name},
                     {"kind", TimelineRowKindName(row.kind)},
                     {"rank", model.ranks.rank[row.rank_index]},
                     {"layers", std::move(layers)}});
  }
  return {{"begin_ns", begin_ns}, {"end_ns", end_ns}, {"pixels", pixels}, {"rows", shown}};
}

}  // namespace tasklens
