// SPDX-License-Identifier: Apache-2.0
#include "server/answers/views.h"

#include <nlohmann/json.hpp>

#include "analysis/graph_view.h"
#include "analysis/task_estimates.h"
#include "analysis/timeline_scene.h"
#include "server/answers/answers.h"
#include "server/answers/printed.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

namespace {

// null for kNone.
Json TaskAnswer(const TraceModel& model, uint32_t task) {
  return task == kNone ? Json() : CommandJson(TaskWithLineMessage(model, task));
}

Json TimeOrNull(int64_t time_ns) { return time_ns == kNever ? Json() : Json(time_ns); }

Json SliceAnswer(const TimelineScene& scene, const TimelineSlice& slice) {
  const TraceModel& model = scene.model;
  Json answer = {{"start_ns", slice.start_ns},
                 {"end_ns", slice.end_ns},
                 {"state", model.StateNameOf(slice.state)},
                 {"count", slice.count},
                 {"task", TaskAnswer(model, model.states.task[slice.state])}};
  if (scene.estimates) {
    const auto end_ns = ExpectedEnd(model, *scene.estimates, slice);
    answer["expected_end_ns"] = end_ns ? Json(*end_ns) : Json();
  }
  return answer;
}

Json MixedAnswer(const TimelineMix& picture) {
  const TimelineMix mixed = picture.WithoutCodelets();
  Json pixels = Json::array();
  for (size_t i = 0; i < mixed.pixels.size(); ++i) {
    const TimelineMix::Pixel& pixel = mixed.pixels[i];
    Json times = Json::array();
    for (size_t kind = 0; kind < mixed.kinds.size(); ++kind)
      if (const uint64_t time_ns = mixed.TimeNs(i, kind); time_ns > 0)
        times.push_back({{"state", Decl(mixed.kinds[kind].kind).name},
                         {"internal", mixed.kinds[kind].is_internal},
                         {"time_ns", time_ns}});
    pixels.push_back({{"start_ns", pixel.start_ns},
                      {"end_ns", pixel.end_ns},
                      {"depth", pixel.depth},
                      {"count", pixel.count},
                      {"tasks", pixel.tasks},
                      {"times", std::move(times)}});
  }
  return pixels;
}

Json RowAnswer(const TimelineScene& scene, uint32_t number) {
  const TimelineRow& row = scene.rows.rows[number];
  Json layers = Json::array(), flags = Json::array();
  const TimelinePicture picture = scene.PictureOf(row);
  for (const std::vector<TimelineSlice>& layer : picture.layers) {
    Json slices = Json::array();
    for (const TimelineSlice& slice : layer) slices.push_back(SliceAnswer(scene, slice));
    layers.push_back(std::move(slices));
  }
  if (scene.flags)
    for (const TimelineFlag& flag :
         scene.flags->Flags(number, scene.from_ns, scene.to_ns, scene.pixels))
      flags.push_back({{"time_ns", flag.time_ns},
                       {"text", FlagText(scene.model, flag.point)},
                       {"count", flag.count}});
  return {{"name", row.name},
          {"kind", TimelineRowKindName(row.kind)},
          {"rank", scene.model.ranks.rank[row.rank_index]},
          {"layers", std::move(layers)},
          {"mixed", MixedAnswer(picture.mixed)},
          {"flags", std::move(flags)}};
}

Json CounterAnswer(const TimelineScene& scene, size_t number) {
  const Curve& curve = scene.curves->curves()[number];
  Json slices = Json::array();
  for (const CurveSlice& slice :
       scene.curves->Slices(number, scene.from_ns, scene.to_ns, scene.pixels))
    slices.push_back({{"start_ns", slice.start_ns},
                      {"end_ns", slice.end_ns},
                      {"min", slice.min},
                      {"max", slice.max},
                      {"mean", slice.mean}});
  return {{"name", curve.name},         {"kind", CurveKindName(curve.kind)},
          {"unit", curve.unit},         {"row", curve.row},
          {"min", curve.min},           {"max", curve.max},
          {"slices", std::move(slices)}};
}

Json ArrowsAnswer(const TimelineScene& scene, const TimelineScene::Arrows& of_kind) {
  const bool has_tasks = of_kind.kind == ArrowKind::kDependency;
  Json arrows = Json::array();
  for (const TimelineArrow& arrow : of_kind.view.arrows)
    arrows.push_back({{"from_row", arrow.from_row},
                      {"start_ns", arrow.start_ns},
                      {"to_row", arrow.to_row},
                      {"end_ns", arrow.end_ns},
                      {"count", arrow.count},
                      {"from_task", TaskAnswer(scene.model, has_tasks ? arrow.from : kNone)},
                      {"to_task", TaskAnswer(scene.model, has_tasks ? arrow.to : kNone)}});
  return {{"kind", ArrowKindName(of_kind.kind)},
          {"in_view", of_kind.view.in_view},
          {"left_out", of_kind.view.left_out},
          {"arrows", std::move(arrows)}};
}

}  // namespace

std::string DumpGraph(const TraceModel& model, const GraphView& view) {
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
  return Dump({{"caption", view.Caption()},
               {"tasks_shown", view.tasks_shown},
               {"tasks_total", view.tasks_total},
               {"dependencies_inside", view.dependencies_inside},
               {"dependencies_left_out", view.dependencies_left_out},
               {"not_opened", view.not_opened},
               {"nodes", std::move(nodes)},
               {"edges", std::move(edges)}});
}

std::string DumpTimeline(const TimelineScene& scene) {
  Json rows = Json::array(), counters = Json::array(), arrows = Json::array();
  for (uint32_t row = 0; row < scene.rows.rows.size(); ++row) rows.push_back(RowAnswer(scene, row));
  for (size_t i = 0; scene.curves && i < scene.curves->curves().size(); ++i)
    counters.push_back(CounterAnswer(scene, i));
  for (const TimelineScene::Arrows& of_kind : scene.arrows)
    arrows.push_back(ArrowsAnswer(scene, of_kind));
  return Dump({{"begin_ns", scene.from_ns},
               {"end_ns", scene.to_ns},
               {"pixels", scene.pixels},
               {"rows", std::move(rows)},
               {"counters", std::move(counters)},
               {"arrows", std::move(arrows)}});
}

}  // namespace tasklens
