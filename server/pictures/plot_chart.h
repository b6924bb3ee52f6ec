// SPDX-License-Identifier: Apache-2.0
// Axes, and what a plot puts beside them: ticks with units, labels, a legend.
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

// What an axis measures, which its ticks say with a unit.
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
// An axis for the values: from 0 where it is no log axis, its ends on ticks. Values below or at 0
// have no place on a log axis.
PlotAxis PlotAxisFor(PlotQuantity quantity, std::string label, std::span<const double> values,
                     bool is_log = false);

// An axis from the first of some moments to the last, its ends on ticks.
PlotAxis PlotAxisOfMoments(std::string label, std::span<const double> moments_ns);

struct PlotBox {
  double x, y, width, height;
};

class PlotChart {
 public:
  // Draws the frame in `box`, which has the ticks and labels outside of it: 60 to its left, 36
  // below.
  PlotChart(PlotCanvas& canvas, const PlotBox& box, PlotAxis x, PlotAxis y,
            std::string_view heading = "");

  // Where a value is drawn; what is outside of the axis, at its end.
  double X(double value) const;
  double Y(double value) const;
  const PlotBox& box() const { return box_; }

 private:
  void DrawTicks();

  PlotCanvas& canvas_;
  PlotBox box_;
  PlotAxis x_, y_;
};

// A point of a plot: what shares its colour with others has another form, as it has stripes
// elsewhere (none, one, two, three).
void DrawPlotMark(PlotCanvas& canvas, double x, double y, double radius, const Paint& paint);

struct PlotLegendEntry {
  std::string label;
  Paint paint;
  bool is_mark = false;  // it stands for points, else for areas
};
// In rows of `width` from (x, y) on. Returns the height that it takes.
double DrawPlotLegend(PlotCanvas& canvas, double x, double y, double width,
                      std::span<const PlotLegendEntry> entries);

}  // namespace tasklens
