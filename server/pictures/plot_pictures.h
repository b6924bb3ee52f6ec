// SPDX-License-Identifier: Apache-2.0
// The pictures behind `tasklens plot` and the twins of StarPU's plotting tools: what was measured,
// on a sheet, with axes, units and a legend. Runs stand side by side, or one above the other, on
// the same axes, so that they can be compared.
//
// Points of one colour that would lie on each other are drawn once, so that a picture's size does
// not grow with the trace. What is left out is said in the picture.
//
// Pure functions; any thread.
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

// `after` of axes of time: what was at zero, as " after the first submission"; "": the file's zero.
inline constexpr double kPlotWidth = 900;

struct SamplesOfRun {
  std::string run;  // its name; "" where there is but one
  TaskSamples samples;
};
// Length over bytes, both on log axes; a colour for each codelet, or with `by_worker` for each
// worker.
PlotCanvas DrawLengthOverSize(std::span<const SamplesOfRun> runs, const PlotTheme& theme,
                              bool by_worker, std::string title);
// Length over the moment when the task started; the larger its data, the larger the dot.
PlotCanvas DrawLengthOverTime(std::span<const SamplesOfRun> runs, const PlotTheme& theme,
                              const std::string& after = "");

// One group of one run: a codelet's durations, for instance.
struct DurationPanel {
  std::string label;
  Paint paint;
  Histogram histogram;  // of nanoseconds
  double total_ns = 0;
  // Those beyond the last bar, where a few would squeeze all others into the first.
  uint64_t longer = 0;
  double longest_ns = 0;
};
// Panels beside each other; with `shares_scale`, those of a row have the same axes. `left_out`: how
// many groups there are besides.
PlotCanvas DrawHistograms(std::span<const std::vector<DurationPanel>> rows, const PlotTheme& theme,
                          std::string title, bool shares_scale, size_t left_out = 0);
// A sheet with one.
PlotCanvas DrawHistogram(const DurationPanel& panel, const PlotTheme& theme);

struct ActivityOfRun {
  std::string run;
  Activity activity;
};
// A row a worker: tasks below, the runtime's own time on them, then sleep; beneath, the numbers of
// tasks.
PlotCanvas DrawActivity(std::span<const ActivityOfRun> runs, const PlotTheme& theme,
                        const std::string& after = "");

struct Matrix {
  std::string heading;
  PlotQuantity quantity = PlotQuantity::kCount;
  std::string unit_after;  // of values, as "/s"
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
// When data came and when it was used, and a histogram of the time between.
PlotCanvas DrawWaits(std::span<const WaitsOfRun> runs, const PlotTheme& theme, std::string title,
                     std::string wait_label, const std::string& after = "");

struct SpeedBar {
  std::string label;
  Paint paint;
  double gflops = 0;  // 0: not told
  // Means of the tasks with an estimate of their perfmodel; 0: there are none.
  double measured_ns = 0, expected_ns = 0;
  // Above 1: tasks were shorter than expected.
  double Efficiency() const { return measured_ns > 0 ? expected_ns / measured_ns : 0; }
};
struct SpeedsOfRun {
  std::string run;
  std::vector<SpeedBar> bars;
};
// Speed, mean durations measured and expected, and their quotient: as far as any run tells them.
PlotCanvas DrawSpeeds(std::span<const SpeedsOfRun> runs, const PlotTheme& theme);

}  // namespace tasklens
