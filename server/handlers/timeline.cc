// SPDX-License-Identifier: Apache-2.0
// tasklens/timeline: what each pixel of each row shows, as columns of numbers.
#include "analysis/timeline.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "analysis/colours.h"
#include "analysis/joined_dependencies.h"
#include "analysis/path_view.h"
#include "analysis/run_clock.h"
#include "analysis/sites.h"
#include "analysis/task_estimates.h"
#include "analysis/text.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "analysis/timeline_flags.h"
#include "analysis/timeline_rows.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/report/overview.h"
#include "trace/colours/colours.h"
#include "trace/colours/state_paint.h"
#include "trace/support/beside.h"

namespace tasklens {
namespace {

// One answer draws at most so many columns of pixels, all rows together: some 300 MB of text.
constexpr uint64_t kMostColumns = 4'000'000;

std::optional<ArrowKind> ParseArrowKind(std::string_view name) {
  for (const ArrowKind kind : kArrowKinds)
    if (ArrowKindName(kind) == name) return kind;
  return std::nullopt;
}

struct Params {
  std::string trace;
  int64_t from_ns = 0, to_ns = kNever;
  uint32_t pixels = 1000;
  std::vector<uint32_t> rows;
  ColourBy colour = ColourBy::kCodelet;
  bool texts = true, counters = false, worker_counters = true, flags = false,
       scheduler_flags = false, estimates = false, path = false, packed = false;
  std::vector<std::string> arrows;
  uint32_t task = kNone;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("fromNs", from_ns);
    fields.Optional("toNs", to_ns);
    fields.Optional("pixels", pixels);
    fields.Optional("rows", rows);
    colour = ReadColour(fields, colour);
    fields.Optional("texts", texts);
    fields.Optional("counters", counters);
    fields.Optional("workerCounters", worker_counters);
    fields.Optional("flags", flags);
    fields.Optional("schedulerFlags", scheduler_flags);
    fields.Optional("arrows", arrows);
    fields.Optional("task", task);
    fields.Optional("estimates", estimates);
    fields.Optional("path", path);
    fields.Optional("packed", packed);
    for (const std::string& name : arrows)
      if (!ParseArrowKind(name))
        fields.Fail("arrows", "takes dependency, transfer, message and steal, not '" + name + "'");
    if (pixels == 0) fields.Fail("pixels", "must be at least 1");
  }
};

// What all parts of one answer need.
struct Scene {
  const TraceModel& model;
  const TimelineRows& rows;
  const TimelineIndex& index;
  const TaskColours& colours;
  int64_t from_ns, to_ns;
  uint32_t pixels;
  bool is_packed;
  bool has_own_colours = false;
  bool has_internal = false;                       // tasks of the runtime's own
  const std::vector<double>* estimates = nullptr;  // of EstimatesOfTasks(), where they are wanted
  TextTable names = {};
  std::unordered_map<StringId, uint32_t> name_of = {};  // entries of `names`
  json::array_t name_rgb = {};  // by entry, where tasks are coloured by them

  uint32_t NameOf(uint32_t task) { return NameOfCodelet(model.tasks.name[task]); }
  // REQUIRES: a task is of it.
  uint32_t NameOfCodelet(StringId codelet) {
    const auto [it, is_new] = name_of.try_emplace(codelet, 0);
    if (!is_new) return it->second;
    const std::string_view name = model.str(codelet);
    it->second = names.IndexOf(name.empty() ? "unknown" : name);
    if (colours.by() == ColourBy::kCodelet && it->second == name_rgb.size())
      name_rgb.emplace_back(colours.PaintOfCodelet(codelet).rgb);
    return it->second;
  }
  // Of a state that its file calls otherwise than by its kind; -1: of any other.
  int64_t NameOfState(uint32_t state) {
    if (model.states.name[state] == 0) return -1;
    const uint32_t index = names.IndexOf(model.StateNameOf(state));
    if (colours.by() == ColourBy::kCodelet && index == name_rgb.size())
      name_rgb.emplace_back(StateRgb(model.states.kind[state]));
    return index;
  }
};

json LayerJson(Scene& scene, const std::vector<TimelineSlice>& slices) {
  const StateTable& states = scene.model.states;
  const auto first_state = static_cast<uint32_t>(scene.colours.legend().entries.size());
  NumberColumn start, end, state, name, task, count, colour, rgb, internal, expected_end;
  NumberColumn before, after;
  bool is_cut = false;
  const std::pair<const char*, NumberColumn&> columns[] = {
      {"start", start}, {"end", end},     {"state", state},  {"name", name},
      {"task", task},   {"count", count}, {"colour", colour}};
  for (const auto& [title, column] : columns) column.Reserve(slices.size());
  for (const TimelineSlice& slice : slices) {
    const uint32_t row = states.task[slice.state];
    const StateKind kind = states.kind[slice.state];
    const bool is_task = row < scene.model.tasks.size() && Decl(kind).group == StateGroup::kTask;
    const int64_t start_ns = std::max(slice.start_ns, scene.from_ns);
    start.Add(start_ns - scene.from_ns);
    end.Add(slice.end_ns - scene.from_ns);
    const int64_t before_ns = slice.count == 1 ? start_ns - states.start_ns[slice.state] : 0;
    const int64_t after_ns = slice.count == 1 ? states.end_ns[slice.state] - slice.end_ns : 0;
    before.Add(before_ns);
    after.Add(after_ns);
    is_cut = is_cut || before_ns != 0 || after_ns != 0;
    state.Add(static_cast<uint32_t>(kind));
    name.Add(is_task ? int64_t{scene.NameOf(row)} : scene.NameOfState(slice.state));
    task.Add(OrMinusOne(row));
    count.Add(slice.count);
    if (scene.has_internal) internal.Add(is_task && !IsUserTask(scene.model, row));
    if (scene.has_own_colours) rgb.Add(is_task ? OrMinusOne(scene.model.tasks.rgb[row]) : -1);
    if (scene.estimates) {
      const auto end_ns = ExpectedEnd(scene.model, *scene.estimates, slice);
      expected_end.Add(end_ns ? std::max(*end_ns - scene.from_ns, int64_t{0}) : -1);
    }
    colour.Add(is_task ? scene.colours.EntryOf(row) : first_state + static_cast<uint32_t>(kind));
  }
  json layer;
  for (const auto& [title, column] : columns) layer[title] = column.Take(scene.is_packed);
  if (is_cut) layer["before"] = before.Take(scene.is_packed);
  if (is_cut) layer["after"] = after.Take(scene.is_packed);
  if (scene.has_internal) layer["internal"] = internal.Take(scene.is_packed);
  if (scene.has_own_colours) layer["rgb"] = rgb.Take(scene.is_packed);
  if (scene.estimates) layer["expectedEnd"] = expected_end.Take(scene.is_packed);
  return layer;
}

// Of the pixels that no single state fills, what they are made of; null: there are none.
json MixedJson(Scene& scene, const TimelineMix& mixed) {
  if (mixed.pixels.empty()) return nullptr;
  NumberColumn start, end, depth, count, tasks;
  for (const TimelineMix::Pixel& pixel : mixed.pixels) {
    start.Add(pixel.start_ns - scene.from_ns);
    end.Add(pixel.end_ns - scene.from_ns);
    depth.Add(pixel.depth);
    count.Add(pixel.count);
    tasks.Add(pixel.tasks);
  }
  json kinds = json::array();
  for (size_t kind = 0; kind < mixed.kinds.size(); ++kind) {
    NumberColumn ns;
    bool is_here = false;
    for (size_t pixel = 0; pixel < mixed.pixels.size(); ++pixel) {
      const auto time_ns = static_cast<int64_t>(mixed.TimeNs(pixel, kind));
      is_here = is_here || time_ns != 0;
      ns.Add(time_ns);
    }
    const auto& [state, is_internal, codelet] = mixed.kinds[kind];
    if (is_here)
      kinds.push_back({{"state", static_cast<uint32_t>(state)},
                       {"internal", is_internal},
                       {"name", codelet == kNone ? -1 : int64_t{scene.NameOfCodelet(codelet)}},
                       {"ns", ns.Take(scene.is_packed)}});
  }
  json columns = {{"kinds", std::move(kinds)}};
  const std::pair<const char*, NumberColumn&> named[] = {
      {"start", start}, {"end", end}, {"depth", depth}, {"count", count}, {"tasks", tasks}};
  for (const auto& [title, column] : named) columns[title] = column.Take(scene.is_packed);
  return columns;
}

json PathJson(const Scene& scene, const PathIndex& path) {
  NumberColumn row, start, end, count, work;
  for (const PathStretch& one : path.View(scene.from_ns, scene.to_ns, scene.pixels)) {
    row.Add(one.row);
    start.Add(one.start_ns - scene.from_ns);
    end.Add(one.end_ns - scene.from_ns);
    count.Add(static_cast<int64_t>(one.count));
    work.Add(one.work_ns);
  }
  return {{"row", row.Take(scene.is_packed)},
          {"start", start.Take(scene.is_packed)},
          {"end", end.Take(scene.is_packed)},
          {"count", count.Take(scene.is_packed)},
          {"work", work.Take(scene.is_packed)}};
}

json RowTexts(const TraceModel& model, const TimelineRows& rows) {
  json texts = json::array();
  for (const TimelineRow& row : rows.rows)
    texts.push_back({{"name", row.name},
                     {"kind", TimelineRowKindName(row.kind)},
                     {"rank", model.ranks.rank[row.rank_index]},
                     {"worker", OrMinusOne(row.worker)}});
  return texts;
}

// Four digits are more than a picture shows.
json Values(std::vector<double> values, double max, bool is_packed) {
  const double step = max > 0 ? std::pow(10, std::floor(std::log10(max)) - 4) : 1;
  for (double& value : values) value = std::round(value / step) * step;
  return ValueColumn(values, is_packed);
}

json CurvesJson(const Scene& scene, const TimelineCurves& curves,
                const std::vector<bool>& has_curves) {
  json shown = json::array();
  for (size_t i = 0; i < curves.curves().size(); ++i) {
    const Curve& curve = curves.curves()[i];
    if (!has_curves[curve.row]) continue;
    NumberColumn start, end;
    std::vector<double> low, high, mean;
    for (const CurveSlice& slice : curves.Slices(i, scene.from_ns, scene.to_ns, scene.pixels)) {
      start.Add(slice.start_ns - scene.from_ns);
      end.Add(slice.end_ns - scene.from_ns);
      low.push_back(slice.min);
      high.push_back(slice.max);
      mean.push_back(slice.mean);
    }
    const double largest = std::max(std::fabs(curve.min), std::fabs(curve.max));
    const bool is_packed = scene.is_packed;
    shown.push_back({{"kind", CurveKindName(curve.kind)},
                     {"name", curve.name},
                     {"unit", curve.unit},
                     {"row", curve.row},
                     {"min", curve.min},
                     {"max", curve.max},
                     {"start", start.Take(is_packed)},
                     {"end", end.Take(is_packed)},
                     {"low", Values(std::move(low), largest, is_packed)},
                     {"high", Values(std::move(high), largest, is_packed)},
                     {"mean", Values(std::move(mean), largest, is_packed)}});
  }
  return shown;
}

json FlagsJson(const Scene& scene, const TimelineFlags& flags, const std::vector<uint32_t>& rows) {
  TextTable texts;
  json::array_t row_of, at, count, text;
  for (const uint32_t row : rows) {
    for (const TimelineFlag& flag : flags.Flags(row, scene.from_ns, scene.to_ns, scene.pixels)) {
      row_of.emplace_back(row);
      at.emplace_back(flag.time_ns - scene.from_ns);
      count.emplace_back(flag.count);
      text.emplace_back(texts.IndexOf(FlagText(scene.model, flag.point)));
    }
  }
  return {{"row", std::move(row_of)},
          {"at", std::move(at)},
          {"count", std::move(count)},
          {"text", std::move(text)},
          {"texts", texts.Take()}};
}

// The ends of an arrow may lie outside the view.
struct ArrowColumns {
  json::array_t kind, from_row, from, to_row, to, count, from_task, to_task;
  uint64_t left_out = 0;

  void Add(const Scene& scene, ArrowKind arrow_kind, const TimelineArrow& arrow) {
    const bool has_tasks = arrow_kind == ArrowKind::kDependency;
    kind.emplace_back(static_cast<uint32_t>(arrow_kind));
    from_row.emplace_back(arrow.from_row);
    from.emplace_back(arrow.start_ns - scene.from_ns);
    to_row.emplace_back(arrow.to_row);
    to.emplace_back(arrow.end_ns - scene.from_ns);
    count.emplace_back(arrow.count);
    from_task.emplace_back(has_tasks ? int64_t{arrow.from} : -1);
    to_task.emplace_back(has_tasks ? int64_t{arrow.to} : -1);
  }
  json Take() {
    return {{"kind", std::move(kind)},
            {"fromRow", std::move(from_row)},
            {"from", std::move(from)},
            {"toRow", std::move(to_row)},
            {"to", std::move(to)},
            {"count", std::move(count)},
            {"fromTask", std::move(from_task)},
            {"toTask", std::move(to_task)},
            {"leftOut", left_out},
            {"kinds", {"dependency", "transfer", "message", "steal"}}};
  }
};

Result<json> ArrowsJson(const Scene& scene, const OpenTrace& trace, const Params& params,
                        const Call& call) {
  ArrowColumns columns;
  if (params.task != kNone) {
    if (Status s = CheckTask(trace, params.task); !s.ok()) return s;
    const auto placed = trace.views->Placed(call.stop());
    if (!placed) return Cancelled();
    for (const TimelineArrow& arrow :
         DependencyArrowsOf(scene.model, scene.rows, *placed, params.task))
      columns.Add(scene, ArrowKind::kDependency, arrow);
  }
  for (const std::string& name : params.arrows) {
    const ArrowKind kind = *ParseArrowKind(name);
    if (kind == ArrowKind::kDependency && params.task != kNone) continue;
    const auto arrows = trace.views->Arrows(kind, call.stop());
    if (!arrows) return Cancelled();
    const ArrowView view = arrows->View(scene.from_ns, scene.to_ns, scene.pixels);
    columns.left_out += view.left_out;
    for (const TimelineArrow& arrow : view.arrows) columns.Add(scene, kind, arrow);
  }
  return columns.Take();
}

// The rows asked for; all where none was named.
Result<std::vector<uint32_t>> RowsOf(const OpenTrace& trace, const TimelineRows& all,
                                     const Params& params) {
  std::vector<uint32_t> rows = params.rows;
  if (rows.empty())
    for (uint32_t row = 0; row < all.rows.size(); ++row) rows.push_back(row);
  for (const uint32_t row : rows)
    if (row >= all.rows.size())
      return Status(ErrorCode::kNotFound, "the trace " + trace.id + " has no row " +
                                              std::to_string(row) + "; it has " +
                                              std::to_string(all.rows.size()) + ", counted from 0");
  if (rows.size() * uint64_t{params.pixels} > kMostColumns)
    return Status(ErrorCode::kInvalidArgument,
                  "rows times pixels must be at most " + CountText(kMostColumns) + ", not " +
                      CountText(rows.size() * uint64_t{params.pixels}) + "; ask for fewer rows");
  return rows;
}

Result<json> ShowTimeline(const Session& session, const Params& params, const Call& call) {
  const auto found = params.path ? session.FindWhole(params.trace) : session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const TraceModel& model = *trace.model;
  const int64_t to_ns =
      params.to_ns != kNever ? params.to_ns : std::max<int64_t>(model.duration_ns, 1);
  if (params.from_ns < 0 || params.from_ns >= to_ns)
    return Status(
        ErrorCode::kInvalidArgument,
        "params.fromNs must be at least 0 and before toNs, which is " + std::to_string(to_ns));
  // The first time these are seconds of work for ten million tasks: on two processors, if a thread
  // can be had.
  auto curves_work = BesideIf(params.counters, [&] {
    return params.counters ? trace.views->Curves(call.stop()) : nullptr;
  });
  const auto all_rows = trace.views->Rows(call.stop());
  const auto index = trace.views->Timeline(call.stop());
  const auto colours = trace.views->Colours(params.colour, call.stop());
  const auto curves = curves_work.get();
  const auto estimates = params.estimates ? trace.views->Estimates(call.stop()) : nullptr;
  if (!all_rows || !index || !colours || (params.counters && !curves) ||
      (params.estimates && !estimates))
    return Cancelled();
  const Result<std::vector<uint32_t>> rows = RowsOf(trace, *all_rows, params);
  if (!rows.ok()) return rows.status();

  Scene scene{model,          *all_rows, *index,        *colours,
              params.from_ns, to_ns,     params.pixels, params.packed};
  scene.has_own_colours = colours->has_own();
  scene.estimates = estimates.get();
  scene.has_internal = trace.summary.tasks < model.tasks.size();
  std::vector<bool> has_curves(all_rows->rows.size());
  json shown = json::array();
  std::vector<uint32_t> tracks;
  for (const uint32_t row : *rows) {
    tracks.push_back(all_rows->rows[row].track);
    has_curves[row] =
        params.worker_counters || all_rows->rows[row].kind != TimelineRowKind::kWorker;
  }
  const auto pictures =
      index->Pictures(tracks, scene.from_ns, scene.to_ns, scene.pixels, call.stop());
  if (call.IsCancelled()) return Cancelled();
  for (size_t i = 0; i < pictures.size(); ++i) {
    json layers = json::array();
    for (const auto& slices : pictures[i].layers) layers.push_back(LayerJson(scene, slices));
    shown.push_back({{"row", (*rows)[i]},
                     {"layers", std::move(layers)},
                     {"mixed", MixedJson(scene, pictures[i].mixed)}});
  }
  json counters, flags, arrows, path;
  if (params.counters) counters = CurvesJson(scene, *curves, has_curves);
  if (params.flags || params.scheduler_flags) {
    const auto points = trace.views->Flags(params.scheduler_flags, call.stop());
    if (!points) return Cancelled();
    flags = FlagsJson(scene, *points, *rows);
  }
  if (!params.arrows.empty() || params.task != kNone) {
    Result<json> columns = ArrowsJson(scene, trace, params, call);
    if (!columns.ok()) return columns.status();
    arrows = std::move(*columns);
  }
  if (params.path) {
    const auto steps = trace.views->Path(call.stop());
    if (!steps) return Cancelled();
    path = PathJson(scene, *steps);
  }
  Legend legend = colours->legend();
  const bool by_codelet = colours->by() == ColourBy::kCodelet;
  json states = json::array();
  for (const StateDecl& state : AllStates()) {
    const Paint paint = StatePaint(state.kind);
    legend.entries.push_back(
        {.label = std::string(state.name), .rgb = paint.rgb, .stripes = paint.stripes});
    states.push_back(state.name);
  }
  return json{{"trace", trace.id},
              {"beginNs", 0},
              {"endNs", model.duration_ns},
              {"zeroNs", params.texts ? json(RunClock(model).zero_ns()) : json()},
              {"fromNs", params.from_ns},
              {"toNs", to_ns},
              {"pixels", params.pixels},
              {"rowsTotal", all_rows->rows.size()},
              {"rows", std::move(shown)},
              {"counters", std::move(counters)},
              {"flags", std::move(flags)},
              {"arrows", std::move(arrows)},
              {"path", std::move(path)},
              {"legend", LegendJson(legend)},
              {"texts",
               {{"names", scene.names.Take()},
                {"nameRgb", by_codelet ? json(std::move(scene.name_rgb)) : json()},
                {"rows", params.texts ? RowTexts(model, *all_rows) : json()},
                {"states", params.texts ? std::move(states) : json()}}}};
}

}  // namespace

extern const RequestSpec kTimelineRequest;
const RequestSpec kTimelineRequest = Request<&ShowTimeline>("tasklens/timeline");

}  // namespace tasklens
