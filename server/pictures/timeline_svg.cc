// SPDX-License-Identifier: Apache-2.0
// The timeline as SVG: an axis, a row a worker with its counters under it, flags and arrows over
// them, a legend.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/text.h"
#include "converters/writers/text.h"
#include "server/pictures/svg.h"
#include "server/pictures/svg_text.h"

namespace tasklens {
namespace {

constexpr double kMargin = 12, kNames = 150, kAxis = 22, kRow = 22, kCurve = 26, kTickText = 44;

constexpr std::string_view kStyle =
    ".name { font-size: 11px; text-anchor: end; }\n"
    ".counter text { font-size: 9px; fill: #555; text-anchor: end; }\n"
    ".counter .area { fill-opacity: 0.2; }\n"
    ".counter .range { fill-opacity: 0.4; }\n"
    ".counter .mean { fill: none; stroke-width: 0.8; }\n"
    ".flag { fill: #b00020; stroke: #b00020; stroke-width: 0.6; }\n"
    ".arrow { fill: none; stroke-width: 0.8; stroke-opacity: 0.8; }\n"
    ".tick { font-size: 10px; fill: #444; }\n"
    ".note { font-size: 11px; fill: #444; }\n";

// 1, 2 or 5 times a power of ten, so that some ten of them fit.
int64_t TickNs(int64_t length_ns) {
  const double rough = std::max(1., static_cast<double>(length_ns) / 10);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1., 2., 5.})
    if (step * power >= rough) return static_cast<int64_t>(step * power);
  return static_cast<int64_t>(10 * power);
}

uint32_t ArrowRgb(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::kDependency: return 0x333333;
    case ArrowKind::kTransfer: return 0xC2185B;
    case ArrowKind::kMessage: return 0x1565C0;
    case ArrowKind::kSteal: return 0xEF6C00;
  }
  return 0;
}

// "512 tasks", "1.05 MB/s": bytes in thousands.
std::string ValueText(double value, std::string_view unit) {
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
        colours_(colours),
        legend_(colours.legend()),
        first_state_(legend_.entries.size()) {
    for (const StateDecl& state : AllStates())
      legend_.entries.push_back({.label = std::string(state.name), .rgb = StateRgb(state.kind)});
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
    double foot = kMargin + height_ + kMargin;
    if (!notes.empty()) {
      fmt::format_to(std::back_inserter(body), "<text class=\"note\" x=\"{}\" y=\"{}\">{}</text>\n",
                     kMargin, foot + 6, XmlText(notes));
      foot += 18;
    }
    double legend_height = 0;
    const std::string legend =
        LegendSvg(legend_, used_, kMargin, foot, kNames + scene_.pixels, legend_height);
    std::string out = SvgHead(
        kNames + scene_.pixels + 2 * kMargin, foot + legend_height + kMargin,
        "Timeline: " + DurationText(scene_.from_ns) + " to " + DurationText(scene_.to_ns), kStyle);
    DrawAxis(out);
    return out + body + legend + "</svg>\n";
  }

 private:
  double X(int64_t time_ns) const {
    const double share = (static_cast<double>(time_ns) - static_cast<double>(scene_.from_ns)) /
                         (static_cast<double>(scene_.to_ns) - static_cast<double>(scene_.from_ns));
    return kMargin + kNames + share * scene_.pixels;
  }

  void PlaceRows() {
    std::vector<double> under(scene_.rows.rows.size());  // of each row: the height of its counters
    if (scene_.curves)
      for (const Curve& curve : scene_.curves->curves()) under[curve.row] += kCurve;
    height_ = kAxis;
    for (const double curves : under) {
      tops_.push_back(kMargin + height_);
      height_ += kRow + curves;
    }
  }

  void DrawAxis(std::string& out) const {
    const int64_t from_ns = scene_.from_ns, to_ns = scene_.to_ns;
    const int64_t tick_ns = TickNs(to_ns - from_ns);
    for (int64_t at_ns = from_ns / tick_ns * tick_ns; at_ns <= to_ns; at_ns += tick_ns) {
      if (at_ns < from_ns) continue;
      const bool is_last = X(at_ns) > X(to_ns) - kTickText;
      fmt::format_to(std::back_inserter(out),
                     "<path d=\"M{0:.1f},{1}v{2}\" stroke=\"#ccc\"/><text class=\"tick\" "
                     "x=\"{3:.1f}\" y=\"{4}\" text-anchor=\"{5}\">{6}</text>\n",
                     X(at_ns), kMargin, height_, X(at_ns) + (is_last ? -3 : 3), kMargin + 10,
                     is_last ? "end" : "start", DurationText(at_ns));
      if (at_ns > to_ns - tick_ns) break;  // the next one might not fit an int64_t
    }
  }

  void DrawRow(size_t number, std::string& out) {
    const TimelineRow& row = scene_.rows.rows[number];
    const double top = tops_[number];
    fmt::format_to(std::back_inserter(out),
                   "<g class=\"row\"><text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n",
                   kMargin + kNames - 6, top + kRow / 2 + 4, RowName(row));
    const uint32_t depths = row.track == kNone ? 0 : scene_.index.Depths(row.track);
    for (uint32_t depth = 0; depth < depths; ++depth) {
      // What lies on top takes the lower part only, so that the task beneath it is seen.
      const double height = depth == 0 ? kRow - 2 : (kRow - 2) * 0.4 / depth;
      for (const TimelineSlice& slice :
           scene_.index.Slices(row.track, depth, scene_.from_ns, scene_.to_ns, scene_.pixels))
        DrawSlice(slice, top + kRow - 1 - height, height, out);
    }
    out += "</g>\n";
  }

  std::string RowName(const TimelineRow& row) const {
    std::string name = row.name;
    if (model_.ranks.size() > 1)
      name = std::to_string(model_.ranks.rank[row.rank_index]) + ": " + name;
    return FittingText(name, kNames - 8, 11);
  }

  void DrawSlice(const TimelineSlice& slice, double top, double height, std::string& out) {
    const StateKind kind = model_.states.kind[slice.state];
    if (kind == StateKind::kNone) return;
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
    if (is_task) out += StripesSvg(paint, x, top, width, height);
    if (!is_task || slice.count > 1) return;
    const std::string label = FittingText(model_.TaskNameOf(task), width - 4, 10);
    if (!label.empty())
      fmt::format_to(std::back_inserter(out),
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\" fill=\"{}\">{}</text>\n",
                     x + 3, top + height / 2 + 3.5, TextColour(paint.rgb), label);
  }

  std::string Tooltip(const TimelineSlice& slice, uint32_t task) const {
    std::string text(Decl(model_.states.kind[slice.state]).name);
    if (task != kNone) text = XmlText(TaskLabel(task));
    const int64_t start_ns = model_.states.start_ns[slice.state];
    text += "\n" + DurationText(model_.states.end_ns[slice.state] - start_ns) + " from " +
            DurationText(start_ns);
    if (slice.count > 1) text += "\nthe longest of " + CountText(slice.count);
    return text;
  }

  std::string TaskLabel(uint32_t task) const {
    return std::string(model_.TaskNameOf(task)) + ", job " + std::to_string(model_.tasks.job[task]);
  }

  // --- Counters ----------------------------------------------------------------------------------

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

  // The mean as a line, and about it the least and the largest value of each pixel.
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
                   "<g class=\"counter\"><title>{0}\n{1}</title><text x=\"{2}\" y=\"{3:.1f}\">{4}"
                   "</text><text x=\"{2}\" y=\"{5:.1f}\">{6}</text>"
                   "<g fill=\"#{7:06x}\"><path class=\"area\" d=\"{8}\"/>"
                   "<path class=\"range\" d=\"{9}\"/></g>"
                   "<path class=\"mean\" stroke=\"#{7:06x}\" d=\"{10}\"/></g>\n",
                   XmlText(curve.name), XmlText(values), kMargin + kNames - 6, top + 9,
                   FittingText(curve.name, kNames - 8, 9), top + 20,
                   FittingText(values, kNames - 8, 9), CurveRgb(curve.kind) & 0xFFFFFF, area, range,
                   mean);
  }

  // --- Flags and arrows --------------------------------------------------------------------------

  void DrawFlags(std::string& out) const {
    for (uint32_t row = 0; row < tops_.size(); ++row) {
      for (const TimelineFlag& flag :
           scene_.flags->Flags(row, scene_.from_ns, scene_.to_ns, scene_.pixels)) {
        std::string text = FlagText(model_, flag.point) + "\nat " + DurationText(flag.time_ns);
        if (flag.count > 1) text += "\nthe first of " + CountText(flag.count);
        fmt::format_to(std::back_inserter(out),
                       "<path class=\"flag\" d=\"M{:.1f},{:.1f}v{}m0,{}l6,3l-6,3\"><title>{}"
                       "</title></path>\n",
                       X(flag.time_ns), tops_[row] + 1, kRow - 2, -(kRow - 2), XmlText(text));
      }
    }
  }

  void DrawArrows(const TimelineScene::Arrows& arrows, std::string& out, std::string& notes) {
    const std::string name(ArrowKindName(arrows.kind));
    const uint32_t rgb = ArrowRgb(arrows.kind);
    fmt::format_to(std::back_inserter(out),
                   "<defs><marker id=\"{0}\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" "
                   "markerWidth=\"6\" markerHeight=\"6\" markerUnits=\"userSpaceOnUse\" "
                   "orient=\"auto\"><path d=\"M0,1L10,5L0,9z\" fill=\"#{1:06x}\"/></marker>"
                   "<clipPath id=\"view-{0}\"><rect x=\"{2}\" y=\"{3}\" width=\"{4}\" "
                   "height=\"{5:.1f}\"/></clipPath></defs>\n"
                   "<g stroke=\"#{1:06x}\" clip-path=\"url(#view-{0})\">\n",
                   name, rgb, kMargin + kNames, kMargin, scene_.pixels, height_);
    for (const TimelineArrow& arrow : arrows.view.arrows) {
      std::string text = name;
      if (arrows.kind == ArrowKind::kDependency)
        text += ": " + TaskLabel(arrow.from) + " to " + TaskLabel(arrow.to);
      text += "\n" + DurationText(arrow.end_ns - arrow.start_ns);
      if (arrow.count > 1) text += "\nthe longest of " + CountText(arrow.count);
      fmt::format_to(std::back_inserter(out),
                     "<path class=\"arrow\" marker-end=\"url(#{})\" d=\"M{:.1f},{:.1f}L{:.1f},"
                     "{:.1f}\"><title>{}</title></path>\n",
                     name, X(arrow.start_ns), tops_[arrow.from_row] + kRow / 2, X(arrow.end_ns),
                     tops_[arrow.to_row] + kRow / 2, XmlText(text));
    }
    out += "</g>\n";
    legend_.entries.push_back({.label = name, .rgb = rgb});
    used_.push_back(!arrows.view.arrows.empty());
    if (arrows.view.left_out == 0) return;
    notes += notes.empty() ? "Not drawn: " : ", ";
    notes += CountText(arrows.view.left_out) + " more of " + CountText(arrows.view.in_view) +
             " arrows of kind " + name;
  }

  const TimelineScene& scene_;
  const TraceModel& model_;
  const TaskColours& colours_;
  Legend legend_;
  const size_t first_state_;
  std::vector<bool> used_;    // entries of legend_
  std::vector<double> tops_;  // of the rows
  double height_ = 0;
};

}  // namespace

std::string TimelineSvg(const TimelineScene& scene, const TaskColours& colours) {
  return TimelineDrawing(scene, colours).Draw();
}

}  // namespace tasklens
