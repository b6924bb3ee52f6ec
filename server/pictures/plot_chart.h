// SPDX-License-Identifier: Apache-2.0
// The frame of a plot: axes with ticks and units, labels, a legend.
//
// Threads: a chart draws on a canvas, which belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/pictures/plot_canvas.h"

namespace tasklens {

// The quantity of an axis, which determines the unit of its ticks.
enum class PlotQuantity : uint8_t { kTimeNs, kBytes, kCount, kPercent, kGFlops };

// "1.5 ms", "64 kB", "1200", "85 %", "3.2 GFlop/s". (A kB is 1000 bytes.)
std::string PlotValueText(double value, PlotQuantity quantity);

struct PlotAxis {
  PlotQuantity quantity = PlotQuantity::kCount;
  std::string label;
  double low = 0, high = 1;
  bool is_log = false;
  bool has_ticks = true;
};
// Makes an axis that covers the values: from 0 unless it is logarithmic, with ends on ticks. Values
// <= 0 cannot be shown on a log axis.
PlotAxis PlotAxisFor(PlotQuantity quantity, std::string label, std::span<const double> values,
                     bool is_log = false);

// Makes an axis from the first to the last moment, with ends on ticks.
PlotAxis PlotAxisOfMoments(std::string label, std::span<const double> moments_ns);

struct PlotBox {
  double x, y, width, height;
};

class PlotChart {
 public:
  // Draws the frame `box`. Ticks and labels are outside of it: 60 to its left, 36 below.
  PlotChart(PlotCanvas& canvas, const PlotBox& box, PlotAxis x, PlotAxis y,
            std::string_view heading = "");

  // The coordinate of a value; values outside of the axis are drawn at its end.
  double X(double value) const;
  double Y(double value) const;
  const PlotBox& box() const { return box_; }

 private:
  void DrawTicks();

  PlotCanvas& canvas_;
  PlotBox box_;
  PlotAxis x_, y_;
};

// Draws a point. Tasks that share a colour have different shapes here, where other pictures use
// stripes (none, one, two, three).
void DrawPlotMark(PlotCanvas& canvas, double x, double y, double radius, const Paint& paint);

struct PlotLegendEntry {
  std::string label;
  Paint paint;
  bool is_mark = false;  // for points; else for areas
};
// Draws the legend in rows of `width` from (x, y). Returns its height.
double DrawPlotLegend(PlotCanvas& canvas, double x, double y, double width,
                      std::span<const PlotLegendEntry> entries);

}  // namespace tasklens
