// SPDX-License-Identifier: Apache-2.0
#include "server/answers/views.h"

#include "analysis/graph_view.h"
#include "analysis/run_clock.h"
#include "analysis/task_estimates.h"
#include "analysis/timeline_scene.h"
#include "server/answers/answers.h"
#include "server/answers/known_values.h"

namespace tasklens {
namespace {

std::vector<messages::PrintedState> StateMessages(const TimelineScene& scene,
                                                  const std::vector<TimelineSlice>& slices) {
  const TraceModel& model = scene.model;
  std::vector<messages::PrintedState> states;
  for (const TimelineSlice& slice : slices) {
    messages::PrintedState& state = states.emplace_back();
    state.start_ns = slice.start_ns;
    state.end_ns = slice.end_ns;
    state.state = model.StateNameOf(slice.state);
    state.count = slice.count;
    state.task = KnownTask(model, model.states.task[slice.state]);
    if (scene.estimates) state.expected_end_ns = ExpectedEnd(model, *scene.estimates, slice);
  }
  return states;
}

std::vector<messages::PrintedMix> MixMessages(const TimelineMix& picture) {
  const TimelineMix mixed = picture.WithoutCodelets();
  std::vector<messages::PrintedMix> pixels;
  for (size_t i = 0; i < mixed.pixels.size(); ++i) {
    const TimelineMix::Pixel& pixel = mixed.pixels[i];
    messages::PrintedMix& message = pixels.emplace_back();
    message.start_ns = pixel.start_ns;
    message.end_ns = pixel.end_ns;
    message.depth = pixel.depth;
    message.count = pixel.count;
    message.tasks = pixel.tasks;
    for (size_t kind = 0; kind < mixed.kinds.size(); ++kind)
      if (const uint64_t time_ns = mixed.TimeNs(i, kind); time_ns > 0)
        message.times.push_back({.state = std::string(Decl(mixed.kinds[kind].kind).name),
                                 .internal = mixed.kinds[kind].is_internal,
                                 .time_ns = static_cast<int64_t>(time_ns)});
  }
  return pixels;
}

messages::PrintedRow RowMessage(const TimelineScene& scene, uint32_t number) {
  const TimelineRow& row = scene.rows.rows[number];
  const TimelinePicture picture = scene.PictureOf(row);
  messages::PrintedRow message{RowTextMessage(scene.model, row)};
  for (const auto& layer : picture.layers) message.layers.push_back(StateMessages(scene, layer));
  message.mixed = MixMessages(picture.mixed);
  if (!scene.flags) return message;
  for (const TimelineFlag& flag :
       scene.flags->Flags(number, scene.from_ns, scene.to_ns, scene.pixels))
    message.flags.push_back(
        {.time_ns = flag.time_ns, .text = FlagText(scene.model, flag.point), .count = flag.count});
  return message;
}

messages::PrintedCounter CounterMessage(const TimelineScene& scene, size_t number) {
  messages::PrintedCounter message{CounterTextMessage(scene.curves->curves()[number])};
  for (const CurveSlice& slice :
       scene.curves->Slices(number, scene.from_ns, scene.to_ns, scene.pixels))
    message.slices.push_back({.start_ns = slice.start_ns,
                              .end_ns = slice.end_ns,
                              .low = slice.min,
                              .high = slice.max,
                              .mean = slice.mean});
  return message;
}

messages::PrintedArrows ArrowsMessage(const TimelineScene& scene,
                                      const TimelineScene::Arrows& of_kind) {
  const bool has_tasks = of_kind.kind == ArrowKind::kDependency;
  messages::PrintedArrows message{.kind = std::string(ArrowKindName(of_kind.kind)),
                                  .in_view = of_kind.view.in_view,
                                  .left_out = of_kind.view.left_out};
  for (const TimelineArrow& arrow : of_kind.view.arrows)
    message.arrows.push_back({.from_row = arrow.from_row,
                              .start_ns = arrow.start_ns,
                              .to_row = arrow.to_row,
                              .end_ns = arrow.end_ns,
                              .count = arrow.count,
                              .from_task = KnownTask(scene.model, has_tasks ? arrow.from : kNone),
                              .to_task = KnownTask(scene.model, has_tasks ? arrow.to : kNone)});
  return message;
}

}  // namespace

messages::GraphShown GraphShownMessage(const TraceModel& model, const GraphView& view) {
  messages::GraphShown message{.zero_ns = RunClock(model).zero_ns(),
                               .caption = view.Caption(),
                               .not_opened = view.not_opened,
                               .tasks_total = view.tasks_total,
                               .dependencies_inside = view.dependencies_inside,
                               .dependencies_left_out = view.dependencies_left_out};
  for (const GraphNode& node : view.nodes) {
    message.tasks_shown += node.tasks;
    message.groups += node.task == kNone;
  }
  return message;
}

messages::PrintedGraph GraphMessage(const TraceModel& model, const GraphView& view) {
  messages::PrintedGraph message{GraphShownMessage(model, view)};
  for (const GraphNode& node : view.nodes)
    message.nodes.push_back({.id = node.id,
                             .parent = node.parent,
                             .label = node.label,
                             .tasks = node.tasks,
                             .task = KnownTask(model, node.task),
                             .total_ns = node.total_ns,
                             .start_ns = KnownTime(node.start_ns),
                             .end_ns = KnownTime(node.end_ns),
                             .first_level = node.first_level,
                             .last_level = node.last_level,
                             .can_open = node.can_open});
  for (const GraphEdge& edge : view.edges)
    message.edges.push_back({.from = edge.from, .to = edge.to, .count = edge.count});
  return message;
}

messages::TimelineRowText RowTextMessage(const TraceModel& model, const TimelineRow& row) {
  return {.name = row.name,
          .kind = std::string(TimelineRowKindName(row.kind)),
          .rank = model.ranks.rank[row.rank_index],
          .worker = row.worker == kNone ? -1 : int64_t{row.worker}};
}

messages::CounterText CounterTextMessage(const Curve& curve) {
  return {.kind = std::string(CurveKindName(curve.kind)),
          .name = curve.name,
          .unit = std::string(curve.unit),
          .row = curve.row,
          .min = curve.min,
          .max = curve.max};
}

void DumpTimeline(const TimelineScene& scene, const WriteText& write) {
  messages::PrintedTimeline message{.end_ns = scene.model.duration_ns,
                                    .zero_ns = RunClock(scene.model).zero_ns(),
                                    .from_ns = scene.from_ns,
                                    .to_ns = scene.to_ns,
                                    .pixels = scene.pixels};
  for (size_t i = 0; scene.curves && i < scene.curves->curves().size(); ++i)
    message.counters.push_back(CounterMessage(scene, i));
  for (const TimelineScene::Arrows& of_kind : scene.arrows)
    message.arrows.push_back(ArrowsMessage(scene, of_kind));
  DumpRows<messages::PrintedRow>(
      message, "/rows", scene.rows.rows.size(),
      [&](size_t row) { return RowMessage(scene, static_cast<uint32_t>(row)); }, write);
}

}  // namespace tasklens
