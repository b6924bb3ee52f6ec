// SPDX-License-Identifier: Apache-2.0
// The pictures of `tasklens plot` and of the replacements for StarPU's plotting tools: measurements
// on a sheet with axes, units and a legend. Several runs are drawn side by side or one above the
// other, on the same axes, so that they can be compared.
//
// Points of one colour that would overlap are drawn once, so that the size of a picture does not
// grow with the trace. The picture says what it omits.
//
// Functions with a time axis take `after`, the meaning of zero, such as " after the first
// submission"; "": the zero of the trace file.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/activity.h"
#include "analysis/histogram.h"
#include "analysis/message_matrix.h"
#include "analysis/task_samples.h"
#include "server/pictures/plot_canvas.h"
#include "server/pictures/plot_chart.h"

namespace tasklens {

inline constexpr double kPlotWidth = 900;

struct SamplesOfRun {
  std::string run;  // its name; "" if there is only one run
  TaskSamples samples;
};
// Duration over bytes on logarithmic axes; one colour for each codelet, or with `by_worker` for
// each worker.
PlotCanvas DrawLengthOverSize(std::span<const SamplesOfRun> runs, const PlotTheme& theme,
                              bool by_worker, std::string title);
// Duration over start time; a task with more data has a larger dot.
PlotCanvas DrawLengthOverTime(std::span<const SamplesOfRun> runs, const PlotTheme& theme,
                              const std::string& after = "");

// One group of one run, such as the durations of a codelet.
struct DurationPanel {
  std::string label;
  Paint paint;
  Histogram histogram;  // of nanoseconds
  double total_ns = 0;
  // The durations beyond the last bar. They are left out of the bars if a few outliers would
  // squeeze all others into the first bar.
  uint64_t longer = 0;
  double longest_ns = 0;
};
// Draws each row of panels side by side; with `shares_scale` the panels of a row share their axes.
// `left_out`: the number of groups that are not shown.
PlotCanvas DrawHistograms(std::span<const std::vector<DurationPanel>> rows, const PlotTheme& theme,
                          std::string title, bool shares_scale, size_t left_out = 0);
// A sheet with one panel.
PlotCanvas DrawHistogram(const DurationPanel& panel, const PlotTheme& theme);

struct ActivityOfRun {
  std::string run;
  Activity activity;
};
// One row for each worker: tasks at the bottom, above them the runtime's overhead, then sleep;
// below all rows the numbers of tasks.
PlotCanvas DrawActivity(std::span<const ActivityOfRun> runs, const PlotTheme& theme,
                        const std::string& after = "");

struct Matrix {
  std::string heading;
  PlotQuantity quantity = PlotQuantity::kCount;
  std::string unit_after;  // follows the unit of values, as in "/s"
  std::vector<std::string> names;
  std::vector<double> values;  // [from * names.size() + to]
};
PlotCanvas DrawMatrices(std::span<const Matrix> matrices, const PlotTheme& theme,
                        std::string title);

struct WaitsOfRun {
  std::string run;
  struct Wait {
    std::string worker;
    int64_t time_ns, until_ns;
  };
  std::vector<Wait> waits;
};
// When data arrived and when it was used, and a histogram of the time between.
PlotCanvas DrawWaits(std::span<const WaitsOfRun> runs, const PlotTheme& theme, std::string title,
                     std::string wait_label, const std::string& after = "");

struct SpeedBar {
  std::string label;
  Paint paint;
  double gflops = 0;  // 0: unknown
  // Means over the tasks whose perfmodel has an estimate; 0: there are none.
  double measured_ns = 0, expected_ns = 0;
  // Above 1: tasks were faster than expected.
  double Efficiency() const { return measured_ns > 0 ? expected_ns / measured_ns : 0; }
};
struct SpeedsOfRun {
  std::string run;
  std::vector<SpeedBar> bars;
};
// Speed, measured and expected mean durations, and their ratio, as far as a run has them.
PlotCanvas DrawSpeeds(std::span<const SpeedsOfRun> runs, const PlotTheme& theme);

}  // namespace tasklens
