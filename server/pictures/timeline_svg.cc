// SPDX-License-Identifier: Apache-2.0
// The timeline as SVG: an axis, one row for each worker with its counters below, flags and arrows
// over the rows, a legend.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "analysis/task_estimates.h"
#include "analysis/text.h"
#include "drawing/svg.h"
#include "server/pictures/svg.h"
#include "server/pictures/time_axis.h"
#include "trace/colours/state_paint.h"

namespace tasklens {
namespace {

constexpr double kMargin = 12, kNames = 150, kAxis = 22, kRow = 22, kCurve = 26;
// The height of an overlaid state in a row.
constexpr double kOverlay = (kRow - 2) * 0.4;
// The least distance in pixels between two arrows, and between two flags.
constexpr size_t kArrowRoom = 5, kFlagRoom = 9;
constexpr double kHairline = 0.8;  // the least height of a visible state

constexpr std::string_view kStyle =
    ".name { font-size: 11px; text-anchor: end; }\n"
    ".counter text { font-size: 9px; fill: #555; text-anchor: end; }\n"
    ".counter .area { fill-opacity: 0.2; }\n"
    ".counter .range { fill-opacity: 0.4; }\n"
    ".counter .mean { fill: none; stroke-width: 0.8; }\n"
    ".flag { fill: #b00020; stroke: #b00020; stroke-width: 0.6; }\n"
    ".arrow { fill: none; stroke-width: 0.8; }\n"
    ".several { fill: none; stroke: #888; stroke-width: 1; stroke-dasharray: 1,2; }\n"
    ".expected { fill: none; stroke: #000; stroke-width: 1.5; }\n"
    ".label { font-size: 10px; stroke-width: 2; paint-order: stroke; "
    "stroke-linejoin: round; "
    "pointer-events: none; }\n"
    ".tick { font-size: 10px; fill: #444; }\n"
    ".note { font-size: 11px; fill: #444; }\n";

uint32_t ArrowRgb(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::kDependency: return 0x333333;
    case ArrowKind::kTransfer: return 0xC2185B;
    case ArrowKind::kMessage: return 0x1565C0;
    case ArrowKind::kSteal: return 0xEF6C00;
  }
  return 0;
}

// "512 tasks", "1.05 MB/s"; a kB is 1000 bytes.
std::string ValueText(double value, std::string_view unit) {
  if (value == 1 && unit == "tasks") unit = "task";
  if (!unit.starts_with("bytes")) return fmt::format("{:.4g} {}", value, unit);
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T"};
  size_t prefix = 0;
  for (; std::fabs(value) >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) value /= 1000;
  return fmt::format("{:.3g} {}B{}", value, kPrefixes[prefix], unit.substr(5));
}

uint32_t CurveRgb(CurveKind kind) { return PaletteRgb(static_cast<uint32_t>(kind)); }

class TimelineDrawing {
 public:
  TimelineDrawing(const TimelineScene& scene, const TaskColours& colours)
      : scene_(scene),
        model_(scene.model),
        clock_(scene.model),
        colours_(colours),
        legend_(colours.legend()),
        first_state_(legend_.entries.size()),
        shared_(NamesOf(scene.model)) {
    for (const StateDecl& state : AllStates()) {
      const Paint paint = StatePaint(state.kind);
      legend_.entries.push_back(
          {.label = std::string(state.name), .rgb = paint.rgb, .stripes = paint.stripes});
    }
    used_.resize(legend_.entries.size());
    PlaceRows();
  }

  std::string Draw() {
    std::string body;
    for (size_t row = 0; row < tops_.size(); ++row) DrawRow(row, body);
    if (scene_.curves) DrawCurves(body);
    if (scene_.flags) DrawFlags(body);
    std::string notes;
    for (const TimelineScene::Arrows& arrows : scene_.arrows) DrawArrows(arrows, body, notes);
    body += labels_;
    if (has_mixed_) {
      legend_.entries.push_back(
          {.label = "dotted: several states a pixel, as high as their shares of its time",
           .rgb = 0xAAAAAA});
      used_.push_back(true);
    }
    if (has_estimates_) {
      legend_.entries.push_back({.label = "line beneath a task: its expected length", .rgb = 0});
      used_.push_back(true);
    }
    double foot = kMargin + height_ + kMargin;
    if (!notes.empty()) {
      fmt::format_to(std::back_inserter(body), "<text class=\"note\" x=\"{}\" y=\"{}\">{}</text>\n",
                     kMargin, foot + 6, XmlText(notes));
      foot += 18;
    }
    double legend_height = 0;
    const std::string legend =
        LegendSvg(legend_, used_, kMargin, foot, kNames + scene_.pixels, legend_height);
    std::string out =
        SvgHead(kNames + scene_.pixels + 2 * kMargin, foot + legend_height + kMargin,
                "Timeline: " + clock_.Text(Span{scene_.from_ns, scene_.to_ns}), kStyle);
    DrawAxis(out);
    return out + body + legend + "</svg>\n";
  }

 private:
  static std::vector<std::string_view> NamesOf(const TraceModel& model) {
    std::vector<bool> is_name(model.strings.size());
    std::vector<std::string_view> names;
    for (const StringId name : model.tasks.name) {
      if (!is_name[name]) names.push_back(model.str(name));
      is_name[name] = true;
    }
    return names;
  }

  double X(int64_t time_ns) const {
    const double share = (static_cast<double>(time_ns) - static_cast<double>(scene_.from_ns)) /
                         (static_cast<double>(scene_.to_ns) - static_cast<double>(scene_.from_ns));
    return kMargin + kNames + share * scene_.pixels;
  }

  void PlaceRows() {
    std::vector<double> under(scene_.rows.rows.size());  // by row: the height of its counters
    if (scene_.curves)
      for (const Curve& curve : scene_.curves->curves()) under[curve.row] += kCurve;
    height_ = kAxis;
    for (const double curves : under) {
      tops_.push_back(kMargin + height_);
      height_ += kRow + curves;
    }
  }

  void DrawAxis(std::string& out) const {
    const Span range{scene_.from_ns, scene_.to_ns};
    for (const auto& [at_ns, text] : TicksOf(clock_, range, 10)) {
      const bool is_last = X(at_ns) + TextWidth(text, 10) + 3 > X(range.end_ns);
      fmt::format_to(std::back_inserter(out),
                     "<path d=\"M{0:.1f},{1}v{2}\" stroke=\"#ccc\"/><text class=\"tick\" "
                     "x=\"{3:.1f}\" y=\"{4}\" text-anchor=\"{5}\">{6}</text>\n",
                     X(at_ns), kMargin, height_, X(at_ns) + (is_last ? -3 : 3), kMargin + 10,
                     is_last ? "end" : "start", text);
    }
  }

  void DrawRow(size_t number, std::string& out) {
    const TimelineRow& row = scene_.rows.rows[number];
    const double top = tops_[number];
    fmt::format_to(std::back_inserter(out),
                   "<g class=\"row\"><text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n",
                   kMargin + kNames - 6, top + kRow / 2 + 4, RowName(row));
    TimelinePicture picture = scene_.PictureOf(row);
    std::vector<std::vector<TimelineSlice>> layers;  // those not empty, the lowest first
    for (std::vector<TimelineSlice>& layer : picture.layers) {
      std::erase_if(layer, [&](const TimelineSlice& slice) {
        return model_.states.kind[slice.state] == StateKind::kNone;
      });
      if (!layer.empty()) layers.push_back(std::move(layer));
    }
    for (size_t depth = 0; depth < layers.size(); ++depth) {
      // An overlaid state takes the lower part only, so that the task beneath and its label stay
      // visible.
      const double height = depth == 0 ? kRow - 2 : kOverlay / static_cast<double>(depth);
      const double of_label = layers.size() > 1 && depth == 0 ? height - kOverlay : height;
      MixedAt mixed(picture.mixed);
      for (const TimelineSlice& slice : layers[depth]) {
        if (mixed.Holds(slice)) continue;
        DrawSlice(slice, top + kRow - 1 - height, height, of_label, out);
        if (scene_.estimates) DrawEstimate(slice, top + kRow - 1, out);
      }
    }
    if (!layers.empty()) DrawMixed(picture.mixed, layers, top, out);
    out += "</g>\n";
  }

  std::string RowName(const TimelineRow& row) const {
    return FittingText(NameWithRank(model_, row), kNames - 8, 11);
  }

  // Finds the mixed pixel that contains a slice. REQUIRES: slices come from left to right.
  class MixedAt {
   public:
    explicit MixedAt(const TimelineMix& mixed) : pixels_(mixed.pixels) {}
    // Returns the pixel that covers all of the slice; nullptr if there is none.
    const TimelineMix::Pixel* Holds(const TimelineSlice& slice) {
      while (at_ < pixels_.size() && pixels_[at_].end_ns <= slice.start_ns) ++at_;
      const bool holds = at_ < pixels_.size() && pixels_[at_].start_ns <= slice.start_ns &&
                         slice.end_ns <= pixels_[at_].end_ns;
      return holds ? &pixels_[at_] : nullptr;
    }

   private:
    const std::vector<TimelineMix::Pixel>& pixels_;
    size_t at_ = 0;
  };

  // The stacking order within a mixed pixel: tasks at the bottom, idleness on top.
  static int StackedAt(const MixKind& kind) {
    return kind.IsTask() ? 0 : Decl(kind.kind).group == StateGroup::kOther ? 2 : 1;
  }

  // Draws pixels with several states: the height of each kind is its share of the time. If the
  // states lie on one long state, which is drawn already, only the overlaid states are drawn, with
  // the height of an overlay.
  void DrawMixed(const TimelineMix& picture, const std::vector<std::vector<TimelineSlice>>& layers,
                 double top, std::string& out) {
    if (picture.pixels.empty()) return;
    const TimelineMix sums = picture.WithoutCodelets();
    const TimelineMix& mixed = colours_.by() == ColourBy::kCodelet ? picture : sums;
    std::vector<size_t> order;
    for (size_t kind = 0; kind < mixed.kinds.size(); ++kind)
      if (mixed.kinds[kind].kind != StateKind::kNone) order.push_back(kind);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return StackedAt(mixed.kinds[a]) < StackedAt(mixed.kinds[b]);
    });
    const auto& lowest = layers.front();
    size_t below = 0;  // the first in `lowest` that ends after the pixel's start
    for (size_t i = 0; i < mixed.pixels.size(); ++i) {
      const TimelineMix::Pixel& pixel = mixed.pixels[i];
      while (below < lowest.size() && lowest[below].end_ns <= pixel.start_ns) ++below;
      const bool is_whole = pixel.depth == 0;
      std::optional<StateKind> beneath;
      if (!is_whole && below < lowest.size() && lowest[below].start_ns <= pixel.start_ns)
        beneath = model_.states.kind[lowest[below].state];
      const double x = X(pixel.start_ns), width = X(pixel.end_ns) - x;
      const double full = is_whole ? kRow - 2 : kOverlay;
      double foot = top + kRow - 1;
      const double ceiling = foot - full;
      fmt::format_to(std::back_inserter(out), "<g class=\"mixed\"><title>{}</title>",
                     XmlText(MixText(sums, i)));
      const auto draw = [&](const MixKind& kind, double wanted) {
        const double high = std::min(wanted, foot - ceiling);
        foot -= high;
        DrawShare(kind, TaskShown(layers, pixel), x, foot, width, high, out);
      };
      const auto height = [&](uint64_t time_ns) {
        return static_cast<double>(time_ns) / static_cast<double>(pixel.end_ns - pixel.start_ns) *
               full;
      };
      uint64_t tasks_ns = 0;
      for (const size_t kind : order)
        if (mixed.kinds[kind].IsTask()) tasks_ns += mixed.TimeNs(i, kind);
      if (tasks_ns == 0 && pixel.tasks > 0 && beneath != StateKind::kTask)
        draw({StateKind::kTask, false}, kHairline);
      for (const size_t kind : order) {
        const uint64_t time_ns = mixed.TimeNs(i, kind);
        if (time_ns == 0 || beneath == mixed.kinds[kind].kind) continue;
        // The tasks of all codelets together are at least a hairline high, shared by their times.
        const double least = mixed.kinds[kind].IsTask() ? kHairline * static_cast<double>(time_ns) /
                                                              static_cast<double>(tasks_ns)
                                                        : kHairline;
        draw(mixed.kinds[kind], std::max(height(time_ns), least));
      }
      out += "</g>\n";
    }
    DrawMixedMark(mixed, top, out);
  }

  // The task that represents a pixel: the longest; kNone if there is none.
  uint32_t TaskShown(const std::vector<std::vector<TimelineSlice>>& layers,
                     const TimelineMix::Pixel& pixel) const {
    for (const std::vector<TimelineSlice>& layer : layers) {
      auto slice = std::upper_bound(
          layer.begin(), layer.end(), pixel.start_ns,
          [](int64_t time_ns, const TimelineSlice& one) { return time_ns < one.end_ns; });
      if (slice == layer.end() || slice->start_ns >= pixel.end_ns) continue;
      const uint32_t task = model_.states.task[slice->state];
      if (task < model_.tasks.size() &&
          Decl(model_.states.kind[slice->state]).group == StateGroup::kTask)
        return task;
    }
    return kNone;
  }

  void DrawShare(const MixKind& kind, uint32_t task, double x, double y, double width, double high,
                 std::string& out) {
    const bool is_codelet = colours_.by() == ColourBy::kCodelet && kind.codelet != kNone;
    const bool is_task = Decl(kind.kind).group == StateGroup::kTask && task != kNone;
    const size_t colour = is_codelet ? colours_.EntryOfCodelet(kind.codelet)
                          : is_task  ? colours_.EntryOf(task)
                                     : first_state_ + static_cast<size_t>(kind.kind);
    used_[colour] = true;
    const Paint paint = is_codelet ? colours_.PaintOfCodelet(kind.codelet)
                        : is_task  ? colours_.PaintOf(task)
                                   : legend_.entries[colour].paint();
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                   "fill=\"#{:06x}\"/>",
                   x, y, width, high, paint.rgb & 0xFFFFFF);
  }

  // Draws a dotted line below each run of mixed pixels.
  void DrawMixedMark(const TimelineMix& mixed, double top, std::string& out) {
    has_mixed_ = true;
    for (size_t i = 0, last; i < mixed.pixels.size(); i = last) {
      for (last = i + 1; last < mixed.pixels.size() &&
                         mixed.pixels[last].start_ns == mixed.pixels[last - 1].end_ns;)
        ++last;
      fmt::format_to(
          std::back_inserter(out), "<path class=\"several\" d=\"M{:.2f},{:.1f}H{:.2f}\"/>\n",
          X(mixed.pixels[i].start_ns), top + kRow - 0.5, X(mixed.pixels[last - 1].end_ns));
    }
  }

  // "212 states in 22 ms: Sleeping 95 %, Scheduling 4 %, 3 tasks 1 %".
  std::string MixText(const TimelineMix& mixed, size_t number) const {
    const TimelineMix::Pixel& pixel = mixed.pixels[number];
    const int64_t length_ns = pixel.end_ns - pixel.start_ns;
    const auto share = [&](uint64_t time_ns) {
      return ShareText(static_cast<double>(time_ns) / static_cast<double>(length_ns));
    };
    std::vector<std::pair<uint64_t, std::string>> parts;
    uint64_t tasks_ns = 0;
    for (size_t kind = 0; kind < mixed.kinds.size(); ++kind) {
      const uint64_t time_ns = mixed.TimeNs(number, kind);
      if (mixed.kinds[kind].IsTask())
        tasks_ns += time_ns;
      else if (time_ns > 0)
        parts.emplace_back(time_ns, std::string(mixed.kinds[kind].is_internal
                                                    ? "the runtime's own tasks"
                                                    : Decl(mixed.kinds[kind].kind).name));
    }
    if (pixel.tasks > 0) parts.emplace_back(tasks_ns, CountText(pixel.tasks, "task"));
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text = CountText(pixel.count, "state") + " in " + DurationText(length_ns);
    for (size_t i = 0; i < parts.size(); ++i)
      text += (i == 0 ? ": " : ", ") + parts[i].second + " " + share(parts[i].first);
    return text + "\nfrom " + clock_.Text(pixel.start_ns, length_ns);
  }

  // Draws a line below a task as long as its expected duration, with a tick at the end.
  void DrawEstimate(const TimelineSlice& slice, double foot, std::string& out) {
    const auto expected_ns = ExpectedEnd(model_, *scene_.estimates, slice);
    const int64_t start_ns = std::max(slice.start_ns, scene_.from_ns);
    if (!expected_ns || *expected_ns < start_ns) return;
    const bool ends_here = *expected_ns <= scene_.to_ns;
    has_estimates_ = true;
    fmt::format_to(
        std::back_inserter(out),
        "<path class=\"expected\" d=\"M{:.2f},{:.1f}H{:.2f}{}\"><title>{}</title></path>\n",
        X(start_ns), foot, X(std::min(*expected_ns, scene_.to_ns)), ends_here ? "v-5" : "",
        ExpectedText(slice, *expected_ns));
  }

  std::string ExpectedText(const TimelineSlice& slice, int64_t expected_ns) const {
    const uint32_t task = model_.states.task[slice.state];
    return "expected of " + XmlText(TaskLabel(task)) + ": " +
           DurationText(expected_ns - model_.tasks.start_ns[task]);
  }

  // `height_of_label`: height of the part, from the top, that no overlay covers.
  void DrawSlice(const TimelineSlice& slice, double top, double height, double height_of_label,
                 std::string& out) {
    const StateKind kind = model_.states.kind[slice.state];
    const uint32_t task = model_.states.task[slice.state];
    const bool is_task = task < model_.tasks.size() && Decl(kind).group == StateGroup::kTask;
    const size_t colour =
        is_task ? colours_.EntryOf(task) : first_state_ + static_cast<size_t>(kind);
    used_[colour] = true;
    const Paint paint = is_task ? colours_.PaintOf(task) : legend_.entries[colour].paint();
    const double x = X(std::max(slice.start_ns, scene_.from_ns));
    const double width = std::max(0.5, X(std::min(slice.end_ns, scene_.to_ns)) - x);
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
                   "fill=\"#{:06x}\"{}><title>{}</title></rect>\n",
                   x, top, width, height, paint.rgb & 0xFFFFFF,
                   width > 4 && is_task ? " stroke=\"#333\" stroke-width=\"0.4\"" : "",
                   Tooltip(slice, is_task ? task : kNone));
    out += StripesSvg(paint, x, top, width, height);
    if (!is_task || slice.count > 1) return;
    const std::string_view name = model_.TaskNameOf(task);
    const std::string label = FittingText(name, width - 6, 10, shared_.LengthOf(name));
    if (!label.empty())
      fmt::format_to(std::back_inserter(labels_),
                     "<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" "
                     "stroke=\"#{:06x}\">{}</text>\n",
                     x + 3, top + height_of_label / 2 + 3.5, TextColour(paint.rgb),
                     paint.rgb & 0xFFFFFF, label);
  }

  std::string Tooltip(const TimelineSlice& slice, uint32_t task) const {
    std::string text = XmlText(std::string(model_.StateNameOf(slice.state)));
    if (task != kNone) text = XmlText(TaskLabel(task));
    const int64_t start_ns = model_.states.start_ns[slice.state];
    const int64_t length_ns = model_.states.end_ns[slice.state] - start_ns;
    text += "\n" + DurationText(length_ns) + " from " + clock_.Text(start_ns, length_ns);
    if (slice.count > 1) text += "\nthe longest of " + CountText(slice.count);
    return text;
  }

  std::string TaskLabel(uint32_t task) const {
    return std::string(model_.TaskNameOf(task)) + ", job " + std::to_string(model_.tasks.job[task]);
  }

  // --- Counters
  // ----------------------------------------------------------------------------------

  void DrawCurves(std::string& out) const {
    uint32_t row = kNone;
    double top = 0;
    for (size_t i = 0; i < scene_.curves->curves().size(); ++i) {
      const Curve& curve = scene_.curves->curves()[i];
      top = curve.row == row ? top + kCurve : tops_[curve.row] + kRow;
      row = curve.row;
      DrawCurve(i, top, out);
    }
  }

  // Draws the mean as a line, and around it the range of values in each pixel.
  void DrawCurve(size_t number, double top, std::string& out) const {
    const Curve& curve = scene_.curves->curves()[number];
    const double low = std::min(0., curve.min), high = std::max(0., curve.max);
    const auto y = [&](double value) {
      return top + (kCurve - 3) * (1 - (value - low) / (high - low));
    };
    std::string area, range, mean;
    for (const CurveSlice& slice :
         scene_.curves->Slices(number, scene_.from_ns, scene_.to_ns, scene_.pixels)) {
      const double from = X(slice.start_ns), to = X(slice.end_ns);
      if (area.empty()) fmt::format_to(std::back_inserter(area), "M{:.1f},{:.1f}", from, y(0));
      fmt::format_to(std::back_inserter(area), "L{:.1f},{:.1f}H{:.1f}", from, y(slice.mean), to);
      fmt::format_to(std::back_inserter(mean), "{}{:.1f},{:.1f}H{:.1f}", mean.empty() ? "M" : "L",
                     from, y(slice.mean), to);
      if (slice.min < slice.max)
        fmt::format_to(std::back_inserter(range), "M{0:.1f},{1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z", from,
                       y(slice.max), to, y(slice.min));
    }
    fmt::format_to(std::back_inserter(area), "V{:.1f}Z", y(0));
    const std::string most = ValueText(curve.max, curve.unit);
    const std::string values =
        curve.min == 0 ? "up to " + most : ValueText(curve.min, curve.unit) + " to " + most;
    fmt::format_to(std::back_inserter(out),
                   "<g class=\"counter\"><title>{0}\n{1}</title><text x=\"{2}\" "
                   "y=\"{3:.1f}\">{4}"
                   "</text><text x=\"{2}\" y=\"{5:.1f}\">{6}</text>"
                   "<g fill=\"#{7:06x}\"><path class=\"area\" d=\"{8}\"/>"
                   "<path class=\"range\" d=\"{9}\"/></g>"
                   "<path class=\"mean\" stroke=\"#{7:06x}\" d=\"{10}\"/></g>\n",
                   XmlText(curve.name), XmlText(values), kMargin + kNames - 6, top + 9,
                   FittingText(curve.name, kNames - 8, 9), top + 20,
                   FittingText(values, kNames - 8, 9), CurveRgb(curve.kind) & 0xFFFFFF, area, range,
                   mean);
  }

  // --- Flags and arrows
  // --------------------------------------------------------------------------

  // Draws flags. Where they would cover a row, draws lines along its upper edge, as long as the
  // logarithm of their number.
  void DrawFlags(std::string& out) const {
    for (uint32_t row = 0; row < tops_.size(); ++row) {
      const std::vector<TimelineFlag> flags =
          scene_.flags->Flags(row, scene_.from_ns, scene_.to_ns, scene_.pixels);
      const bool is_dense = flags.size() * kFlagRoom > scene_.pixels;
      for (const TimelineFlag& flag : flags) {
        std::string text = FlagText(model_, flag.point) + "\nat " + DurationText(flag.time_ns);
        if (flag.count > 1) text += "\nthe first of " + CountText(flag.count);
        const double high = is_dense
                                ? std::min(3 + std::log2(static_cast<double>(flag.count)), kRow / 2)
                                : kRow - 2;
        fmt::format_to(std::back_inserter(out),
                       "<path class=\"flag\" d=\"M{:.1f},{:.1f}v{:.1f}{}\"><title>{}"
                       "</title></path>\n",
                       X(flag.time_ns), tops_[row] + 1, high,
                       is_dense ? "" : fmt::format("m0,{}l6,3l-6,3", -(kRow - 2)), XmlText(text));
      }
    }
  }

  // A path between the edges of two rows, or from and to the lower edge of one row, so that it does
  // not cross the labels.
  std::string ArrowPath(const TimelineArrow& arrow) const {
    const double x0 = X(arrow.start_ns), x1 = X(arrow.end_ns);
    const double from = tops_[arrow.from_row], to = tops_[arrow.to_row];
    if (arrow.from_row == arrow.to_row) {
      const double edge = from + kRow - 1, sag = std::clamp(std::fabs(x1 - x0) * 0.2, 3., 7.);
      return fmt::format("M{0:.1f},{1:.1f}C{0:.1f},{2:.1f} {3:.1f},{2:.1f} {3:.1f},{1:.1f}", x0,
                         edge, edge + sag, x1);
    }
    const bool is_down = to > from;
    const double y0 = from + (is_down ? kRow - 1 : 1), y1 = to + (is_down ? 1 : kRow - 1);
    const double bend = (is_down ? 1 : -1) * std::max(std::fabs(y1 - y0) / 2, 6.);
    return fmt::format("M{:.1f},{:.1f}C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x0, y0, x0,
                       y0 + bend, x1, y1 - bend, x1, y1);
  }

  void DrawArrows(const TimelineScene::Arrows& arrows, std::string& out, std::string& notes) {
    const std::string name(ArrowKindName(arrows.kind));
    const uint32_t rgb = ArrowRgb(arrows.kind);
    fmt::format_to(
        std::back_inserter(out),
        "<defs><marker id=\"{0}\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" "
        "markerWidth=\"6\" markerHeight=\"6\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto\"><path d=\"M0,1L10,5L0,9z\" "
        "fill=\"#{1:06x}\"/></marker>"
        "<clipPath id=\"view-{0}\"><rect x=\"{2}\" y=\"{3}\" width=\"{4}\" "
        "height=\"{5:.1f}\"/></clipPath></defs>\n"
        "<g stroke=\"#{1:06x}\" stroke-opacity=\"{6:.2f}\" clip-path=\"url(#view-{0})\">\n",
        name, rgb, kMargin + kNames, kMargin, scene_.pixels, height_,
        // With many arrows each is more transparent.
        std::clamp(20. / static_cast<double>(arrows.view.arrows.size() + 1), 0.3, 0.8));
    const bool is_dense = arrows.view.arrows.size() * kArrowRoom > scene_.pixels;
    if (is_dense) DrawArrowCounts(arrows, rgb, out);
    for (const TimelineArrow& arrow : arrows.view.arrows) {
      if (is_dense) break;
      std::string text = name;
      if (arrows.kind == ArrowKind::kDependency)
        text += ": " + TaskLabel(arrow.from) + " to " + TaskLabel(arrow.to);
      text += "\n" + DurationText(arrow.end_ns - arrow.start_ns);
      if (arrow.count > 1) text += "\nthe longest of " + CountText(arrow.count);
      fmt::format_to(std::back_inserter(out),
                     "<path class=\"arrow\" marker-end=\"url(#{})\" "
                     "d=\"{}\"><title>{}</title>"
                     "</path>\n",
                     name, ArrowPath(arrow), XmlText(text));
    }
    out += "</g>\n";
    legend_.entries.push_back({.label = name, .rgb = rgb});
    used_.push_back(!arrows.view.arrows.empty());
    if (arrows.view.left_out == 0) return;
    notes += notes.empty() ? "Not drawn: " : ", ";
    notes += CountText(arrows.view.left_out) + " more of " + CountText(arrows.view.in_view) +
             " arrows of kind " + name;
  }

  // If arrows would cover the rows, draws for each pixel a line whose length is the logarithm of
  // the number of arrows that begin there.
  void DrawArrowCounts(const TimelineScene::Arrows& arrows, uint32_t rgb, std::string& out) const {
    std::map<int, uint64_t> counts;
    for (const TimelineArrow& arrow : arrows.view.arrows)
      if (arrow.start_ns >= scene_.from_ns)
        counts[static_cast<int>(X(arrow.start_ns))] += arrow.count;
    for (const auto& [x, count] : counts) {
      const double high = std::min(2 + std::log2(static_cast<double>(count)), kAxis - 10);
      fmt::format_to(std::back_inserter(out),
                     "<path class=\"count\" stroke=\"#{:06x}\" d=\"M{},{:.1f}v{:.1f}\"><title>{} "
                     "begin here: too many to be drawn one by one</title></path>\n",
                     rgb & 0xFFFFFF, x, kMargin + kAxis, -high,
                     CountText(count, std::string(ArrowKindName(arrows.kind)) + " arrow"));
    }
  }

  const TimelineScene& scene_;
  const TraceModel& model_;
  const RunClock clock_;
  const TaskColours& colours_;
  Legend legend_;
  const size_t first_state_;
  const SharedBeginnings shared_;
  std::string labels_;        // drawn last
  std::vector<bool> used_;    // which entries of legend_ are used
  std::vector<double> tops_;  // y of each row
  double height_ = 0;
  bool has_estimates_ = false, has_mixed_ = false;
};

}  // namespace

std::string TimelineSvg(const TimelineScene& scene, const TaskColours& colours) {
  return TimelineDrawing(scene, colours).Draw();
}

}  // namespace tasklens
