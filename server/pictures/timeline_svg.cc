// SPDX-License-Identifier: Apache-2.0
// The timeline as SVG: a row a worker, an axis, a legend.
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

constexpr double kMargin = 12, kNames = 130, kAxis = 22, kRow = 22;

// 1, 2 or 5 times a power of ten, so that some ten of them fit.
int64_t TickNs(int64_t length_ns) {
  const double rough = std::max(1., static_cast<double>(length_ns) / 10);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1., 2., 5.})
    if (step * power >= rough) return static_cast<int64_t>(step * power);
  return static_cast<int64_t>(10 * power);
}

class TimelineDrawing {
 public:
  TimelineDrawing(const TraceModel& model, const TimelineRows& rows, const TimelineIndex& index,
                  const TaskColours& colours, int64_t from_ns, int64_t to_ns, uint32_t pixels)
      : model_(model),
        rows_(rows),
        index_(index),
        colours_(colours),
        from_ns_(from_ns),
        to_ns_(to_ns),
        pixels_(pixels),
        legend_(colours.legend()),
        first_state_(legend_.entries.size()) {
    for (const StateDecl& state : AllStates())
      legend_.entries.push_back({std::string(state.name), StateRgb(state.kind)});
    used_.resize(legend_.entries.size());
  }

  std::string Draw() {
    const double height = kAxis + kRow * static_cast<double>(rows_.rows.size());
    std::string body;
    for (size_t row = 0; row < rows_.rows.size(); ++row)
      DrawRow(rows_.rows[row], kMargin + kAxis + kRow * static_cast<double>(row), body);
    const double foot = kMargin + height + kMargin;
    double legend_height = 0;
    const std::string legend =
        LegendSvg(legend_, used_, kMargin, foot, kNames + pixels_, legend_height);
    std::string out = SvgHead(kNames + pixels_ + 2 * kMargin, foot + legend_height + kMargin,
                              "Timeline: " + DurationText(from_ns_) + " to " + DurationText(to_ns_),
                              ".name { font-size: 11px; text-anchor: end; }\n"
                              ".tick { font-size: 10px; fill: #444; }\n");
    DrawAxis(height, out);
    return out + body + legend + "</svg>\n";
  }

 private:
  double X(int64_t time_ns) const {
    const double share = (static_cast<double>(time_ns) - static_cast<double>(from_ns_)) /
                         (static_cast<double>(to_ns_) - static_cast<double>(from_ns_));
    return kMargin + kNames + share * pixels_;
  }

  void DrawAxis(double height, std::string& out) const {
    const int64_t tick_ns = TickNs(to_ns_ - from_ns_);
    for (int64_t at_ns = from_ns_ / tick_ns * tick_ns; at_ns <= to_ns_; at_ns += tick_ns) {
      if (at_ns < from_ns_) continue;
      fmt::format_to(std::back_inserter(out),
                     "<path d=\"M{0:.1f},{1}v{2}\" stroke=\"#ccc\"/><text class=\"tick\" "
                     "x=\"{3:.1f}\" y=\"{4}\">{5}</text>\n",
                     X(at_ns), kMargin, height, X(at_ns) + 3, kMargin + 10, DurationText(at_ns));
      if (at_ns > to_ns_ - tick_ns) break;  // the next one might not fit an int64_t
    }
  }

  void DrawRow(const TimelineRow& row, double top, std::string& out) {
    fmt::format_to(std::back_inserter(out),
                   "<g class=\"row\"><text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n",
                   kMargin + kNames - 6, top + kRow / 2 + 4, RowName(row));
    const uint32_t depths = row.track == kNone ? 0 : index_.Depths(row.track);
    for (uint32_t depth = 0; depth < depths; ++depth) {
      // What lies on top takes the lower part only, so that the task beneath it is seen.
      const double height = depth == 0 ? kRow - 2 : (kRow - 2) * 0.4 / depth;
      for (const TimelineSlice& slice : index_.Slices(row.track, depth, from_ns_, to_ns_, pixels_))
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
    const double x = X(std::max(slice.start_ns, from_ns_));
    const double width = std::max(0.5, X(std::min(slice.end_ns, to_ns_)) - x);
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
                   "fill=\"#{:06x}\"{}><title>{}</title></rect>\n",
                   x, top, width, height, legend_.entries[colour].rgb & 0xFFFFFF,
                   width > 4 && is_task ? " stroke=\"#333\" stroke-width=\"0.4\"" : "",
                   Tooltip(slice, is_task ? task : kNone));
    if (!is_task || slice.count > 1) return;
    const std::string label = FittingText(model_.TaskNameOf(task), width - 4, 10);
    if (!label.empty())
      fmt::format_to(std::back_inserter(out),
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\" fill=\"{}\">{}</text>\n",
                     x + 3, top + height / 2 + 3.5, TextColour(legend_.entries[colour].rgb), label);
  }

  std::string Tooltip(const TimelineSlice& slice, uint32_t task) const {
    std::string text(Decl(model_.states.kind[slice.state]).name);
    if (task != kNone)
      text = XmlText(model_.TaskNameOf(task)) + ", job " + std::to_string(model_.tasks.job[task]);
    const int64_t start_ns = model_.states.start_ns[slice.state];
    text += "\n" + DurationText(model_.states.end_ns[slice.state] - start_ns) + " from " +
            DurationText(start_ns);
    if (slice.count > 1) text += "\nthe longest of " + CountText(slice.count);
    return text;
  }

  const TraceModel& model_;
  const TimelineRows& rows_;
  const TimelineIndex& index_;
  const TaskColours& colours_;
  const int64_t from_ns_, to_ns_;
  const uint32_t pixels_;
  Legend legend_;
  const size_t first_state_;
  std::vector<bool> used_;
};

}  // namespace

std::string TimelineSvg(const TraceModel& model, const TimelineRows& rows,
                        const TimelineIndex& index, const TaskColours& colours, int64_t from_ns,
                        int64_t to_ns, uint32_t pixels) {
  return TimelineDrawing(model, rows, index, colours, from_ns, to_ns, pixels).Draw();
}

}  // namespace tasklens
