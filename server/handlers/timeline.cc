// SPDX-License-Identifier: Apache-2.0
// tasklens/timeline: the contents of each pixel of each row, as columns of numbers.
#include "analysis/timeline.h"

#include <algorithm>
#include <cmath>
#include <memory>
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
#include "server/answers/answers.h"
#include "server/answers/views.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "trace/colours/colours.h"
#include "trace/colours/state_paint.h"
#include "trace/support/beside.h"

namespace tasklens {
namespace {

// The limit for one answer of pixel columns, summed over the rows: about 300 MB of text.
constexpr uint64_t kMostColumns = 4'000'000;

std::optional<ArrowKind> ParseArrowKind(std::string_view name) {
  for (const ArrowKind kind : kArrowKinds)
    if (ArrowKindName(kind) == name) return kind;
  return std::nullopt;
}

using messages::TimelineAnswer, messages::TimelineParams;

// The data that all parts of one answer share.
struct Scene {
  const TraceModel& model;
  const TimelineRows& rows;
  const TimelineIndex& index;
  const TaskColours& colours;
  int64_t from_ns, to_ns;
  uint32_t pixels;
  bool is_packed;
  bool has_own_colours = false;
  bool has_internal = false;                       // includes the runtime's own tasks
  const std::vector<double>* estimates = nullptr;  // of EstimatesOfTasks(); nullptr: not requested
  TextTable names = {};
  std::unordered_map<StringId, uint32_t> name_of = {};  // entries of `names`
  std::vector<int64_t> name_rgb = {};                   // by entry, if tasks are coloured by them

  NumberColumn Column(std::vector<int64_t> values) const {
    return ColumnOf(std::move(values), is_packed);
  }
  // The columns of one member of all items; Times: after from_ns.
  template <class Item, class Member>
  NumberColumn Column(const std::vector<Item>& items, Member Item::*member) const {
    std::vector<int64_t> values;
    for (const Item& item : items) values.push_back(static_cast<int64_t>(item.*member));
    return Column(std::move(values));
  }
  template <class Item>
  NumberColumn Times(const std::vector<Item>& items, int64_t Item::*time_ns) const {
    std::vector<int64_t> values;
    for (const Item& item : items) values.push_back(item.*time_ns - from_ns);
    return Column(std::move(values));
  }

  uint32_t NameOf(uint32_t task) { return NameOfCodelet(model.tasks.name[task]); }
  // REQUIRES: the codelet has a task.
  uint32_t NameOfCodelet(StringId codelet) {
    const auto [it, is_new] = name_of.try_emplace(codelet, 0);
    if (!is_new) return it->second;
    const std::string_view name = model.str(codelet);
    it->second = names.IndexOf(name.empty() ? "unknown" : name);
    if (colours.by() == ColourBy::kCodelet && it->second == name_rgb.size())
      name_rgb.push_back(colours.PaintOfCodelet(codelet).rgb);
    return it->second;
  }
  // The name of a state that its file names differently from its kind; -1 for other states.
  int64_t NameOfState(uint32_t state) {
    if (model.states.name[state] == 0) return -1;
    const uint32_t index = names.IndexOf(model.StateNameOf(state));
    if (colours.by() == ColourBy::kCodelet && index == name_rgb.size())
      name_rgb.push_back(StateRgb(model.states.kind[state]));
    return index;
  }
};

messages::TimelineLayer LayerOf(Scene& scene, const std::vector<TimelineSlice>& slices) {
  const StateTable& states = scene.model.states;
  const auto first_state = static_cast<uint32_t>(scene.colours.legend().entries.size());
  std::vector<int64_t> start, end, state, name, task, count, colour, rgb, internal, expected_end;
  std::vector<int64_t> before, after;
  bool is_cut = false;
  for (auto* column : {&start, &end, &state, &name, &task, &count, &colour, &before, &after})
    column->reserve(slices.size());
  for (const TimelineSlice& slice : slices) {
    const uint32_t row = states.task[slice.state];
    const StateKind kind = states.kind[slice.state];
    const bool is_task = row < scene.model.tasks.size() && Decl(kind).group == StateGroup::kTask;
    const int64_t start_ns = std::max(slice.start_ns, scene.from_ns);
    start.push_back(start_ns - scene.from_ns);
    end.push_back(slice.end_ns - scene.from_ns);
    const int64_t before_ns = slice.count == 1 ? start_ns - states.start_ns[slice.state] : 0;
    const int64_t after_ns = slice.count == 1 ? states.end_ns[slice.state] - slice.end_ns : 0;
    before.push_back(before_ns);
    after.push_back(after_ns);
    is_cut = is_cut || before_ns != 0 || after_ns != 0;
    state.push_back(static_cast<int64_t>(kind));
    name.push_back(is_task ? int64_t{scene.NameOf(row)} : scene.NameOfState(slice.state));
    task.push_back(OrMinusOne(row));
    count.push_back(slice.count);
    if (scene.has_internal) internal.push_back(is_task && !IsUserTask(scene.model, row));
    if (scene.has_own_colours) rgb.push_back(is_task ? OrMinusOne(scene.model.tasks.rgb[row]) : -1);
    if (scene.estimates) {
      const auto end_ns = ExpectedEnd(scene.model, *scene.estimates, slice);
      expected_end.push_back(end_ns ? std::max(*end_ns - scene.from_ns, int64_t{0}) : -1);
    }
    colour.push_back(is_task ? scene.colours.EntryOf(row)
                             : first_state + static_cast<uint32_t>(kind));
  }
  const auto column_if = [&](bool is_there, std::vector<int64_t>& values) {
    return is_there ? std::optional(scene.Column(std::move(values))) : std::nullopt;
  };
  return {.start = scene.Column(std::move(start)),
          .end = scene.Column(std::move(end)),
          .state = scene.Column(std::move(state)),
          .name = scene.Column(std::move(name)),
          .task = scene.Column(std::move(task)),
          .count = scene.Column(std::move(count)),
          .colour = scene.Column(std::move(colour)),
          .before = column_if(is_cut, before),
          .after = column_if(is_cut, after),
          .internal = column_if(scene.has_internal, internal),
          .rgb = column_if(scene.has_own_colours, rgb),
          .expected_end = column_if(scene.estimates, expected_end)};
}

// The contents of pixels with several states; nullopt if there are no such pixels.
std::optional<messages::TimelineMix> MixOf(Scene& scene, const TimelineMix& mixed) {
  if (mixed.pixels.empty()) return std::nullopt;
  using Pixel = TimelineMix::Pixel;
  messages::TimelineMix mix{.start = scene.Times(mixed.pixels, &Pixel::start_ns),
                            .end = scene.Times(mixed.pixels, &Pixel::end_ns),
                            .depth = scene.Column(mixed.pixels, &Pixel::depth),
                            .count = scene.Column(mixed.pixels, &Pixel::count),
                            .tasks = scene.Column(mixed.pixels, &Pixel::tasks)};
  for (size_t kind = 0; kind < mixed.kinds.size(); ++kind) {
    std::vector<int64_t> ns;
    bool is_here = false;
    for (size_t pixel = 0; pixel < mixed.pixels.size(); ++pixel) {
      ns.push_back(static_cast<int64_t>(mixed.TimeNs(pixel, kind)));
      is_here = is_here || ns.back() != 0;
    }
    const auto& [state, is_internal, codelet] = mixed.kinds[kind];
    if (is_here)
      mix.kinds.push_back({.state = static_cast<uint64_t>(state),
                           .internal = is_internal,
                           .name = codelet == kNone ? -1 : int64_t{scene.NameOfCodelet(codelet)},
                           .ns = scene.Column(std::move(ns))});
  }
  return mix;
}

messages::TimelinePath PathOf(const Scene& scene, const PathIndex& path) {
  const auto stretches = path.View(scene.from_ns, scene.to_ns, scene.pixels);
  return {.row = scene.Column(stretches, &PathStretch::row),
          .start = scene.Times(stretches, &PathStretch::start_ns),
          .end = scene.Times(stretches, &PathStretch::end_ns),
          .count = scene.Column(stretches, &PathStretch::count),
          .work = scene.Column(stretches, &PathStretch::work_ns)};
}

std::vector<messages::TimelineRowText> RowTexts(const TraceModel& model, const TimelineRows& rows) {
  std::vector<messages::TimelineRowText> texts;
  for (const TimelineRow& row : rows.rows) texts.push_back(RowTextMessage(model, row));
  return texts;
}

// A picture shows at most four significant digits.
ValueColumn Values(const Scene& scene, const std::vector<CurveSlice>& slices,
                   double CurveSlice::*member, double max) {
  const double step = max > 0 ? std::pow(10, std::floor(std::log10(max)) - 4) : 1;
  std::vector<double> values;
  for (const CurveSlice& slice : slices) values.push_back(std::round(slice.*member / step) * step);
  return ColumnOf(std::move(values), scene.is_packed);
}

std::vector<messages::TimelineCounter> CountersOf(const Scene& scene, const TimelineCurves& curves,
                                                  const std::vector<uint32_t>& rows,
                                                  bool with_workers) {
  std::vector<bool> has_curves(scene.rows.rows.size());
  for (const uint32_t row : rows)
    has_curves[row] = with_workers || scene.rows.rows[row].kind != TimelineRowKind::kWorker;
  std::vector<messages::TimelineCounter> shown;
  for (size_t i = 0; i < curves.curves().size(); ++i) {
    const Curve& curve = curves.curves()[i];
    if (!has_curves[curve.row]) continue;
    const auto slices = curves.Slices(i, scene.from_ns, scene.to_ns, scene.pixels);
    const double largest = std::max(std::fabs(curve.min), std::fabs(curve.max));
    messages::TimelineCounter& counter = shown.emplace_back(CounterTextMessage(curve));
    counter.start = scene.Times(slices, &CurveSlice::start_ns);
    counter.end = scene.Times(slices, &CurveSlice::end_ns);
    counter.low = Values(scene, slices, &CurveSlice::min, largest);
    counter.high = Values(scene, slices, &CurveSlice::max, largest);
    counter.mean = Values(scene, slices, &CurveSlice::mean, largest);
  }
  return shown;
}

messages::TimelineFlags FlagsOf(const Scene& scene, const TimelineFlags& flags,
                                const std::vector<uint32_t>& rows) {
  TextTable texts;
  messages::TimelineFlags shown;
  for (const uint32_t row : rows) {
    for (const TimelineFlag& flag : flags.Flags(row, scene.from_ns, scene.to_ns, scene.pixels)) {
      shown.row.push_back(row);
      shown.at.push_back(flag.time_ns - scene.from_ns);
      shown.count.push_back(flag.count);
      shown.text.push_back(texts.IndexOf(FlagText(scene.model, flag.point)));
    }
  }
  shown.texts = texts.Take();
  return shown;
}

// The ends of an arrow may lie outside the view.
void Add(const Scene& scene, ArrowKind kind, const TimelineArrow& arrow,
         messages::TimelineArrows& arrows) {
  const bool has_tasks = kind == ArrowKind::kDependency;
  arrows.kind.push_back(static_cast<int64_t>(kind));
  arrows.from_row.push_back(arrow.from_row);
  arrows.from.push_back(arrow.start_ns - scene.from_ns);
  arrows.to_row.push_back(arrow.to_row);
  arrows.to.push_back(arrow.end_ns - scene.from_ns);
  arrows.count.push_back(arrow.count);
  arrows.from_task.push_back(has_tasks ? int64_t{arrow.from} : -1);
  arrows.to_task.push_back(has_tasks ? int64_t{arrow.to} : -1);
}

Result<messages::TimelineArrows> ArrowsOf(const Scene& scene, const OpenTrace& trace,
                                          const TimelineParams& params, const Call& call) {
  messages::TimelineArrows shown;
  for (const ArrowKind kind : kArrowKinds) shown.kinds.emplace_back(ArrowKindName(kind));
  if (params.task) {
    if (Status s = CheckTask(trace, *params.task); !s.ok()) return s;
    const auto placed = trace.views->Placed(call.stop());
    if (!placed) return Cancelled();
    for (const TimelineArrow& arrow :
         DependencyArrowsOf(scene.model, scene.rows, *placed, *params.task))
      Add(scene, ArrowKind::kDependency, arrow, shown);
  }
  for (const std::string& name : params.arrows) {
    const ArrowKind kind = *ParseArrowKind(name);
    if (kind == ArrowKind::kDependency && params.task) continue;
    const auto arrows = trace.views->Arrows(kind, call.stop());
    if (!arrows) return Cancelled();
    const ArrowView view = arrows->View(scene.from_ns, scene.to_ns, scene.pixels);
    shown.left_out += view.left_out;
    for (const TimelineArrow& arrow : view.arrows) Add(scene, kind, arrow, shown);
  }
  return shown;
}

// The legend of the tasks with an entry for each state.
messages::Legend LegendOf(const TaskColours& colours) {
  Legend legend = colours.legend();
  for (const StateDecl& state : AllStates()) {
    const Paint paint = StatePaint(state.kind);
    legend.entries.push_back(
        {.label = std::string(state.name), .rgb = paint.rgb, .stripes = paint.stripes});
  }
  return LegendMessage(legend);
}

// The requested rows; all rows if none was named.
Result<std::vector<uint32_t>> RowsOf(const OpenTrace& trace, const TimelineRows& all,
                                     const TimelineParams& params) {
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

// The views that an answer is made from; the last two only if they are requested.
struct Views {
  std::shared_ptr<const TimelineRows> rows;
  std::shared_ptr<const TimelineIndex> index;
  std::shared_ptr<const TaskColours> colours;
  std::shared_ptr<const TimelineCurves> curves;
  std::shared_ptr<const std::vector<double>> estimates;
};

Result<Views> ViewsFor(const OpenTrace& trace, const TimelineParams& params, const Call& call) {
  // The first time this takes seconds for ten million tasks, so it uses a second thread if one is
  // available.
  auto curves = BesideIf(params.counters, [&] {
    return params.counters ? trace.views->Curves(call.stop()) : nullptr;
  });
  Views views{.rows = trace.views->Rows(call.stop()),
              .index = trace.views->Timeline(call.stop()),
              .colours = trace.views->Colours(*ParseColourBy(params.colour), call.stop()),
              .curves = curves.get(),
              .estimates = params.estimates ? trace.views->Estimates(call.stop()) : nullptr};
  if (!views.rows || !views.index || !views.colours || (params.counters && !views.curves) ||
      (params.estimates && !views.estimates))
    return Cancelled();
  return views;
}

Status AddRows(Scene& scene, const std::vector<uint32_t>& rows, const Call& call,
               TimelineAnswer& answer) {
  std::vector<uint32_t> tracks;
  for (const uint32_t row : rows) tracks.push_back(scene.rows.rows[row].track);
  const auto pictures =
      scene.index.Pictures(tracks, scene.from_ns, scene.to_ns, scene.pixels, call.stop());
  if (call.IsCancelled()) return Cancelled();
  for (size_t i = 0; i < pictures.size(); ++i) {
    messages::TimelineRow& row = answer.rows.emplace_back();
    row.row = rows[i];
    for (const auto& slices : pictures[i].layers) row.layers.push_back(LayerOf(scene, slices));
    row.mixed = MixOf(scene, pictures[i].mixed);
  }
  return Status::Ok();
}

// Adds the data that is drawn over the rows.
Status AddOverlays(const Scene& scene, const OpenTrace& trace, const std::vector<uint32_t>& rows,
                   const TimelineParams& params, const Call& call, TimelineAnswer& answer) {
  if (params.flags || params.scheduler_flags) {
    const auto points = trace.views->Flags(params.scheduler_flags, call.stop());
    if (!points) return Cancelled();
    answer.flags = FlagsOf(scene, *points, rows);
  }
  if (!params.arrows.empty() || params.task) {
    Result<messages::TimelineArrows> arrows = ArrowsOf(scene, trace, params, call);
    if (!arrows.ok()) return arrows.status();
    answer.arrows = *std::move(arrows);
  }
  if (params.path) {
    const auto steps = trace.views->Path(call.stop());
    if (!steps) return Cancelled();
    answer.path = PathOf(scene, *steps);
  }
  return Status::Ok();
}

// The texts of the answer; `with_fixed`: also those that do not depend on the view.
messages::TimelineTexts TextsOf(Scene& scene, bool with_fixed) {
  messages::TimelineTexts texts{.names = scene.names.Take()};
  if (scene.colours.by() == ColourBy::kCodelet) texts.name_rgb = std::move(scene.name_rgb);
  if (!with_fixed) return texts;
  texts.rows = RowTexts(scene.model, scene.rows);
  auto& states = texts.states.emplace();
  for (const StateDecl& state : AllStates()) states.emplace_back(state.name);
  return texts;
}

Result<TimelineAnswer> ShowTimeline(const Session& session, const TimelineParams& params,
                                    const Call& call) {
  const auto refuse = [](const std::string& why) {
    return Status(ErrorCode::kInvalidArgument, "params." + why);
  };
  if (params.pixels == 0) return refuse("pixels must be at least 1");
  const auto found = params.path ? session.FindWhole(params.trace) : session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  const TraceModel& model = *trace.model;
  const int64_t to_ns = params.to_ns.value_or(std::max<int64_t>(model.duration_ns, 1));
  if (params.from_ns < 0 || params.from_ns >= to_ns)
    return refuse("fromNs must be at least 0 and before toNs, which is " + std::to_string(to_ns));
  const Result<Views> views = ViewsFor(trace, params, call);
  if (!views.ok()) return views.status();
  const Result<std::vector<uint32_t>> rows = RowsOf(trace, *views->rows, params);
  if (!rows.ok()) return rows.status();

  Scene scene{.model = model,
              .rows = *views->rows,
              .index = *views->index,
              .colours = *views->colours,
              .from_ns = params.from_ns,
              .to_ns = to_ns,
              .pixels = params.pixels,
              .is_packed = params.packed,
              .has_own_colours = views->colours->has_own(),
              .has_internal = trace.summary.tasks < model.tasks.size(),
              .estimates = views->estimates.get()};
  TimelineAnswer answer{.trace = trace.id,
                        .end_ns = model.duration_ns,
                        .from_ns = params.from_ns,
                        .to_ns = to_ns,
                        .pixels = params.pixels,
                        .rows_total = scene.rows.rows.size(),
                        .legend = LegendOf(scene.colours)};
  if (Status s = AddRows(scene, *rows, call, answer); !s.ok()) return s;
  if (params.counters)
    answer.counters = CountersOf(scene, *views->curves, *rows, params.worker_counters);
  if (Status s = AddOverlays(scene, trace, *rows, params, call, answer); !s.ok()) return s;
  answer.texts = TextsOf(scene, params.texts);
  if (params.texts) answer.zero_ns = RunClock(model).zero_ns();
  return answer;
}

}  // namespace

extern const RequestSpec kTimelineRequest = Request<&ShowTimeline>("tasklens/timeline");

}  // namespace tasklens
