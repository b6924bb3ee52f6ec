// SPDX-License-Identifier: Apache-2.0
// Computes the ticks and their labels.
#include "server/pictures/plot_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tasklens {
namespace {

constexpr double kTickSize = 9, kLabelSize = 10;

// Returns a step of 1, 2 or 5 times a power of ten, for about `count` ticks.
double StepFor(double length, double count) {
  const double rough = length / count;
  if (!(rough > 0) || !std::isfinite(rough)) return 1;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1., 2., 5.})
    if (step * power >= rough * (1 - 1e-9)) return step * power;
  return 10 * power;
}

std::string WithPrefix(double value, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  for (; std::fabs(value) >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) value /= 1000;
  return fmt::format("{:.4g} {}{}", value, kPrefixes[prefix], unit);
}

std::vector<double> TicksOf(const PlotAxis& axis, double room, double tick_room) {
  std::vector<double> ticks;
  if (!axis.has_ticks) return ticks;
  const double most = std::max(2., room / tick_room);
  if (axis.is_log) {
    const double first = std::floor(std::log10(axis.low)), last = std::ceil(std::log10(axis.high));
    const double every = std::max(1., std::ceil((last - first) / most));
    const bool has_between = (last - first) * 3 <= most;
    for (double power = first; power <= last; power += every)
      for (const double step : {1., 2., 5.}) {
        const double at = step * std::pow(10, power);
        if ((step == 1 || has_between) && at >= axis.low * (1 - 1e-9) &&
            at <= axis.high * (1 + 1e-9))
          ticks.push_back(at);
      }
    return ticks;
  }
  double step = StepFor(axis.high - axis.low, most);
  if (axis.quantity == PlotQuantity::kCount) step = std::max(step, 1.);
  // For a short interval far from 0: a step that a double can still represent.
  step = std::max(step, 1e-12 * std::max(std::fabs(axis.low), std::fabs(axis.high)));
  for (double i = std::ceil(axis.low / step - 1e-9); i * step <= axis.high + step * 1e-9; ++i)
    ticks.push_back(i == 0 ? 0 : i * step);  // (and never -0)
  return ticks;
}

// Returns how far along the axis the value is: 0 to 1.
double ShareOf(const PlotAxis& axis, double value) {
  const double share =
      axis.is_log ? (value > 0 ? std::log(value / axis.low) / std::log(axis.high / axis.low) : 0)
                  : (value - axis.low) / (axis.high - axis.low);
  return std::min(std::max(share, 0.), 1.);
}

}  // namespace

std::string PlotValueText(double value, PlotQuantity quantity) {
  switch (quantity) {
    case PlotQuantity::kTimeNs: {
      const double size = std::fabs(value);
      if (value == 0) return "0 s";
      if (size >= 1e9) return fmt::format("{:.4g} s", value / 1e9);
      if (size >= 1e6) return fmt::format("{:.4g} ms", value / 1e6);
      if (size >= 1e3) return fmt::format("{:.4g} \xC2\xB5s", value / 1e3);
      return fmt::format("{:.4g} ns", value);
    }
    case PlotQuantity::kBytes: return WithPrefix(value, "B");
    case PlotQuantity::kCount:
      return value < 1e6 ? fmt::format("{:.6g}", value) : fmt::format("{:.3g}", value);
    case PlotQuantity::kPercent: return fmt::format("{:.4g} %", value);
    case PlotQuantity::kGFlops: return fmt::format("{:.4g} GFlop/s", value);
  }
  return "";
}

PlotAxis PlotAxisFor(PlotQuantity quantity, std::string label, std::span<const double> values,
                     bool is_log) {
  PlotAxis axis{quantity, std::move(label), 0, 0, is_log, true};
  bool has_any = false;
  for (const double value : values) {
    if (!std::isfinite(value) || (is_log && value <= 0)) continue;
    axis.low = has_any ? std::min(axis.low, value) : value;
    axis.high = has_any ? std::max(axis.high, value) : value;
    has_any = true;
  }
  if (is_log) {
    if (!has_any) axis.low = axis.high = 1;
    // The next tick of 1, 2 or 5, with some space if there is only one value.
    const auto tick = [](double value, bool up) {
      const double power = std::pow(10, std::floor(std::log10(value)));
      double best = up ? 10 * power : power;
      for (const double step : {1., 2., 5.})
        if (up ? step * power >= value : step * power <= value) {
          best = step * power;
          if (up) break;
        }
      return best;
    };
    axis.low = tick(axis.low * 0.95, false);
    axis.high = tick(axis.high * 1.05, true);
    return axis;
  }
  axis.low = std::min(axis.low, 0.);
  if (!has_any || axis.high <= axis.low) axis.high = axis.low + 1;
  const double step = StepFor(axis.high - axis.low, 6);
  axis.high = std::ceil(axis.high / step - 1e-9) * step;
  if (axis.low < 0) axis.low = std::floor(axis.low / step + 1e-9) * step;
  return axis;
}

PlotAxis PlotAxisOfMoments(std::string label, std::span<const double> moments_ns) {
  PlotAxis axis{PlotQuantity::kTimeNs, std::move(label), 0, 1, false, true};
  if (moments_ns.empty()) return axis;
  const auto [first, last] = std::ranges::minmax(moments_ns);
  const double step = StepFor(std::max(last - first, 1.), 10);
  axis.low = std::floor(first / step) * step;
  axis.high = std::max(std::ceil(last / step) * step, axis.low + step);
  return axis;
}

void DrawPlotMark(PlotCanvas& canvas, double x, double y, double radius, const Paint& paint) {
  constexpr double kOpacity = 0.75;
  const auto area = [&](std::vector<PlotPoint> corners) {
    canvas.Area(std::move(corners), paint.rgb, kOpacity);
  };
  const double r = radius;
  switch (paint.stripes) {
    case 0: canvas.Dot(x, y, r, paint.rgb, kOpacity); return;
    case 1:  // a square
      return area({{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}});
    case 2:  // a triangle
      return area({{x, y - 1.3 * r}, {x + 1.2 * r, y + r}, {x - 1.2 * r, y + r}});
    default:  // a diamond
      return area({{x, y - 1.5 * r}, {x + 1.5 * r, y}, {x, y + 1.5 * r}, {x - 1.5 * r, y}});
  }
}

PlotChart::PlotChart(PlotCanvas& canvas, const PlotBox& box, PlotAxis x, PlotAxis y,
                     std::string_view heading)
    : canvas_(canvas), box_(box), x_(std::move(x)), y_(std::move(y)) {
  DrawTicks();
  if (!heading.empty())
    canvas_.Text(box_.x, box_.y - 6, kLabelSize, PlotTextThatFits(heading, box_.width, kLabelSize),
                 canvas_.theme().ink, TextAnchor::kStart, true);
  canvas_.Text(box_.x + box_.width / 2, box_.y + box_.height + 28, kLabelSize, x_.label,
               canvas_.theme().ink, TextAnchor::kMiddle);
  canvas_.TextUpwards(box_.x - 50, box_.y + box_.height / 2, kLabelSize, y_.label,
                      canvas_.theme().ink);
}

double PlotChart::X(double value) const { return box_.x + ShareOf(x_, value) * box_.width; }

double PlotChart::Y(double value) const { return box_.y + (1 - ShareOf(y_, value)) * box_.height; }

void PlotChart::DrawTicks() {
  const PlotTheme& theme = canvas_.theme();
  for (const double at : TicksOf(x_, box_.width, 70)) {
    const double x = X(at);
    canvas_.Line({{x, box_.y}, {x, box_.y + box_.height}}, theme.grid, 0.6);
    // The last label may end at the edge of the sheet.
    const std::string text = PlotValueText(at, x_.quantity);
    const double half = PlotTextWidth(text, kTickSize) / 2;
    canvas_.Text(std::min(x, canvas_.width() - 2 - half), box_.y + box_.height + 13, kTickSize,
                 text, theme.muted, TextAnchor::kMiddle);
  }
  for (const double at : TicksOf(y_, box_.height, 26)) {
    const double y = Y(at);
    canvas_.Line({{box_.x, y}, {box_.x + box_.width, y}}, theme.grid, 0.6);
    canvas_.Text(box_.x - 4, y + 3, kTickSize, PlotValueText(at, y_.quantity), theme.muted,
                 TextAnchor::kEnd);
  }
  canvas_.Line({{box_.x, box_.y},
                {box_.x, box_.y + box_.height},
                {box_.x + box_.width, box_.y + box_.height}},
               theme.muted, 0.8);
}

double DrawPlotLegend(PlotCanvas& canvas, double x, double y, double width,
                      std::span<const PlotLegendEntry> entries) {
  constexpr double kRow = 16, kSquare = 10, kSize = 10, kWidest = 280;
  double at = x, top = y;
  for (const PlotLegendEntry& entry : entries) {
    const std::string label =
        PlotTextThatFits(entry.label, std::min(width, kWidest) - kSquare - 5, kSize);
    const double takes = kSquare + 5 + PlotTextWidth(label, kSize) + 16;
    if (at > x && at + takes > x + width) {
      at = x;
      top += kRow;
    }
    if (entry.is_mark)
      DrawPlotMark(canvas, at + kSquare / 2, top + kSquare / 2, 4, entry.paint);
    else
      canvas.Rect(at, top, kSquare, kSquare, entry.paint);
    canvas.Text(at + kSquare + 5, top + kSquare - 1.5, kSize, label, canvas.theme().ink);
    at += takes;
  }
  return entries.empty() ? 0 : top - y + kRow;
}

}  // namespace tasklens
