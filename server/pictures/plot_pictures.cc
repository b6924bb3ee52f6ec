// SPDX-License-Identifier: Apache-2.0
// Draws points, bars and matrices.
#include "server/pictures/plot_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "drawing/svg.h"

namespace tasklens {
namespace {

constexpr double kMargin = 18, kLeft = 74, kTitle = 30, kBelow = 46, kTitleSize = 14;
// The colours of StarPU's handbook: work, runtime, sleep.
constexpr uint32_t kTaskRgb = 0x2E9E4F, kRuntimeRgb = 0xD1352B, kSleepRgb = 0x3A3F47;
constexpr uint32_t kSubmittedRgb = 0x9AA1AB, kReadyRgb = 0x1565C0;
constexpr uint32_t kBarRgb = 0x1565C0, kExpectedRgb = 0x8B939E;
// An axis whose rows have names instead of ticks.
const PlotAxis kRows{PlotQuantity::kCount, "", 0, 1, false, false};

PlotCanvas Sheet(double height, const PlotTheme& theme, const std::string& title) {
  PlotCanvas canvas(kPlotWidth, height, theme, title);
  canvas.Text(kMargin, kMargin + 6, kTitleSize,
              PlotTextThatFits(title, kPlotWidth - 2 * kMargin, kTitleSize), theme.ink,
              TextAnchor::kStart, true);
  return canvas;
}

// Draws one dot of a colour in each cell of a grid. A cell is a quarter of the radius wide, at
// least half a point: what is left out of a picture of a million tasks cannot be seen.
class DrawnDots {
 public:
  explicit DrawnDots(PlotCanvas& canvas) : canvas_(canvas) {}
  void Draw(double x, double y, double radius, const Paint& paint) {
    const double cell = std::max(0.5, radius / 4);
    if (drawn_
            .emplace(std::lround(x / cell), std::lround(y / cell), std::lround(2 * radius),
                     paint.rgb, paint.stripes)
            .second)
      DrawPlotMark(canvas_, x, y, radius, paint);
  }

 private:
  PlotCanvas& canvas_;
  std::set<std::tuple<long, long, long, uint32_t, uint32_t>> drawn_;
};

// The samples in the order of drawing: the codelets with the most first, so that they do not hide
// the others.
std::vector<const TaskSample*> RarestLast(const TaskSamples& samples) {
  std::vector<size_t> count(samples.names.size());
  std::vector<const TaskSample*> order;
  for (const TaskSample& sample : samples.samples) {
    ++count[sample.name];
    order.push_back(&sample);
  }
  std::ranges::stable_sort(order, std::greater(),
                           [&](const TaskSample* sample) { return count[sample->name]; });
  return order;
}

// If there are more workers than colours in the palette, they get different shapes, as codelets do.
Paint PaintOfWorker(uint32_t worker) {
  return {PaletteRgb(worker),
          static_cast<uint32_t>(worker / Palette().size() % (kMostStripes + 1))};
}

Paint PaintOf(const TaskSamples& samples, const TaskSample& sample, bool by_worker) {
  return by_worker ? PaintOfWorker(sample.worker) : samples.paints[sample.name];
}

// The entries that any run has, each once.
std::vector<PlotLegendEntry> LegendOf(std::span<const SamplesOfRun> runs, bool by_worker) {
  std::vector<PlotLegendEntry> legend;
  std::set<std::string> known;
  for (const SamplesOfRun& run : runs) {
    std::vector<bool> is_used(by_worker ? run.samples.workers.size() : run.samples.names.size());
    for (const TaskSample& sample : run.samples.samples)
      is_used[by_worker ? sample.worker : sample.name] = true;
    for (uint32_t i = 0; i < is_used.size(); ++i) {
      if (!is_used[i]) continue;
      const std::string& label = by_worker ? run.samples.workers[i] : run.samples.names[i];
      // (One name may have two colours in two runs, if the programs chose them.)
      const Paint paint = by_worker ? PaintOfWorker(i) : run.samples.paints[i];
      if (known.insert(label + fmt::format(" {:x} {}", paint.rgb, paint.stripes)).second)
        legend.push_back({label, paint, /*is_mark=*/true});
    }
  }
  return legend;
}

double Ns(int64_t ns) { return static_cast<double>(ns); }

// Draws all runs on the same axis, `height` for each, and the legend below.
template <class DrawRun>
void DrawRunsAndLegend(PlotCanvas& canvas, size_t runs, double height,
                       std::span<const PlotLegendEntry> legend, DrawRun draw) {
  double top = kMargin + kTitle;
  for (size_t i = 0; i < runs; ++i) {
    draw(i, PlotBox{kLeft, top, kPlotWidth - kLeft - kMargin, height});
    top += height + kBelow + 14;
  }
  top += DrawPlotLegend(canvas, kLeft, top - 6, kPlotWidth - kLeft - kMargin, legend);
  canvas.set_height(top + 4);
}

}  // namespace

PlotCanvas DrawLengthOverSize(std::span<const SamplesOfRun> runs, const PlotTheme& theme,
                              bool by_worker, std::string title) {
  PlotCanvas canvas = Sheet(0, theme, title);
  std::vector<double> sizes, lengths;
  bool has_none = false;
  for (const SamplesOfRun& run : runs)
    for (const TaskSample& sample : run.samples.samples) {
      has_none |= sample.size_bytes == 0;
      sizes.push_back(static_cast<double>(sample.size_bytes));
      lengths.push_back(Ns(sample.length_ns));
    }
  const PlotAxis x = PlotAxisFor(
      PlotQuantity::kBytes,
      has_none ? "data of the task (at the left end: none)" : "data of the task", sizes, true);
  const PlotAxis y = PlotAxisFor(PlotQuantity::kTimeNs, "duration", lengths, true);
  DrawRunsAndLegend(canvas, runs.size(), runs.size() > 1 ? 260 : 420, LegendOf(runs, by_worker),
                    [&](size_t i, const PlotBox& box) {
                      const PlotChart chart(canvas, box, x, y, runs[i].run);
                      DrawnDots dots(canvas);
                      for (const TaskSample* sample : RarestLast(runs[i].samples))
                        dots.Draw(chart.X(static_cast<double>(sample->size_bytes)),
                                  chart.Y(Ns(sample->length_ns)), 2,
                                  PaintOf(runs[i].samples, *sample, by_worker));
                    });
  return canvas;
}

PlotCanvas DrawLengthOverTime(std::span<const SamplesOfRun> runs, const PlotTheme& theme,
                              const std::string& after) {
  PlotCanvas canvas = Sheet(0, theme, "Tasks over time: how long each took");
  std::vector<double> moments, lengths;
  uint64_t largest_bytes = 0;
  for (const SamplesOfRun& run : runs)
    for (const TaskSample& sample : run.samples.samples) {
      moments.push_back(Ns(sample.start_ns));
      lengths.push_back(Ns(sample.length_ns));
      largest_bytes = std::max(largest_bytes, sample.size_bytes);
    }
  const PlotAxis x = PlotAxisOfMoments("when the task started" + after, moments);
  const PlotAxis y = PlotAxisFor(PlotQuantity::kTimeNs, "duration", lengths, true);
  constexpr double kLeast = 1.2, kMost = 5;
  std::vector<PlotLegendEntry> legend = LegendOf(runs, false);
  if (largest_bytes > 0)
    legend.push_back(
        {fmt::format("larger dot: more data, up to {}",
                     PlotValueText(static_cast<double>(largest_bytes), PlotQuantity::kBytes)),
         Paint{theme.muted}, /*is_mark=*/true});
  DrawRunsAndLegend(
      canvas, runs.size(), runs.size() > 1 ? 260 : 420, legend, [&](size_t i, const PlotBox& box) {
        const PlotChart chart(canvas, box, x, y, runs[i].run);
        DrawnDots dots(canvas);
        for (const TaskSample* sample : RarestLast(runs[i].samples)) {
          // The area of the dot grows with the bytes.
          const double share = largest_bytes == 0 ? 0
                                                  : static_cast<double>(sample->size_bytes) /
                                                        static_cast<double>(largest_bytes);
          dots.Draw(chart.X(Ns(sample->start_ns)), chart.Y(Ns(sample->length_ns)),
                    kLeast + (kMost - kLeast) * std::sqrt(share),
                    PaintOf(runs[i].samples, *sample, false));
        }
      });
  return canvas;
}

namespace {

// `with_lengths`: each bar shows its range of durations.
void DrawBars(PlotCanvas& canvas, const PlotChart& chart, const Histogram& bars, uint32_t rgb,
              bool with_lengths) {
  const double below = chart.box().y + chart.box().height;
  const auto text = [&](size_t i) {
    return fmt::format("{} of {} to {}", bars.counts[i],
                       PlotValueText(bars.borders[i], PlotQuantity::kTimeNs),
                       PlotValueText(bars.borders[i + 1], PlotQuantity::kTimeNs));
  };
  for (size_t i = 0; i < bars.counts.size(); ++i) {
    if (bars.counts[i] == 0) continue;
    const double left = chart.X(bars.borders[i]), right = chart.X(bars.borders[i + 1]);
    const double top = chart.Y(static_cast<double>(bars.counts[i]));
    canvas.Rect(left, top, std::max(right - left - 0.5, 0.5), below - top, rgb,
                with_lengths ? text(i) : "");
  }
}

void DrawPanel(PlotCanvas& canvas, const DurationPanel& panel, const PlotBox& box, double most,
               double low_ns, double high_ns) {
  const double counts[] = {most};
  PlotAxis x{PlotQuantity::kTimeNs, "duration", low_ns, high_ns, false, true};
  const PlotChart chart(canvas, box, x, PlotAxisFor(PlotQuantity::kCount, "executions", counts),
                        PlotTextThatFits(panel.label, box.width - 110, 10.5));
  DrawBars(canvas, chart, panel.histogram, panel.paint.rgb, /*with_lengths=*/true);
  const std::vector<uint64_t>& counts_of_bars = panel.histogram.counts;
  const uint64_t all = std::accumulate(counts_of_bars.begin(), counts_of_bars.end(), uint64_t{0});
  canvas.Text(box.x + box.width, box.y - 6, 9,
              fmt::format("{} in {}", PlotValueText(panel.total_ns, PlotQuantity::kTimeNs),
                          all + panel.longer),
              canvas.theme().muted, TextAnchor::kEnd);
  if (panel.longer > 0)
    canvas.Text(box.x + box.width - 4, box.y + 10, 9,
                fmt::format("{} longer, up to {}", panel.longer,
                            PlotValueText(panel.longest_ns, PlotQuantity::kTimeNs)),
                canvas.theme().muted, TextAnchor::kEnd);
}

uint64_t MostOf(const Histogram& histogram) {
  return histogram.counts.empty()
             ? 0
             : *std::max_element(histogram.counts.begin(), histogram.counts.end());
}

}  // namespace

PlotCanvas DrawHistogram(const DurationPanel& panel, const PlotTheme& theme) {
  PlotCanvas canvas(504, 360, theme, panel.label);
  const std::vector<double>& borders = panel.histogram.borders;
  DrawPanel(canvas, panel, {kLeft, 34, 504 - kLeft - kMargin, 360 - 34 - kBelow},
            static_cast<double>(MostOf(panel.histogram)), borders.empty() ? 0 : borders.front(),
            borders.empty() ? 1 : borders.back());
  return canvas;
}

PlotCanvas DrawHistograms(std::span<const std::vector<DurationPanel>> rows, const PlotTheme& theme,
                          std::string title, bool shares_scale, size_t left_out) {
  PlotCanvas canvas = Sheet(0, theme, title);
  struct Scale {
    double most = 0, low_ns = 1e300, high_ns = -1e300;
    void Add(const Histogram& bars) {
      most = std::max(most, static_cast<double>(MostOf(bars)));
      if (bars.borders.empty()) return;
      low_ns = std::min(low_ns, bars.borders.front());
      high_ns = std::max(high_ns, bars.borders.back());
    }
  };
  size_t columns = 1;
  for (const std::vector<DurationPanel>& row : rows) columns = std::max(columns, row.size());
  const double column = (kPlotWidth - kMargin) / static_cast<double>(columns);
  double top = kMargin + kTitle + 8;
  constexpr double kHeight = 120;
  for (const std::vector<DurationPanel>& row : rows) {
    Scale of_row;
    for (const DurationPanel& panel : row) of_row.Add(panel.histogram);
    for (size_t i = 0; i < row.size(); ++i) {
      Scale own;
      own.Add(row[i].histogram);
      const Scale& scale = shares_scale ? of_row : own;
      const bool is_empty = scale.high_ns <= scale.low_ns;
      DrawPanel(canvas, row[i],
                {column * static_cast<double>(i) + kLeft, top, column - kLeft - 8, kHeight},
                scale.most, is_empty ? 0 : scale.low_ns, is_empty ? 1 : scale.high_ns);
    }
    top += kHeight + kBelow + 14;
  }
  if (left_out > 0) {
    canvas.Text(kLeft, top, 10, fmt::format("and {} more groups, which took less time", left_out),
                theme.muted);
    top += 16;
  }
  canvas.set_height(top);
  return canvas;
}

namespace {

// Draws a step curve from (left, below), with few points per pixel.
void DrawSteps(PlotCanvas& canvas, const PlotChart& chart, const StepCurve& curve, int64_t end_ns,
               uint32_t rgb) {
  if (curve.time_ns.empty()) return;
  const double below = chart.box().y + chart.box().height;
  std::vector<PlotPoint> corners{{chart.X(Ns(curve.time_ns[0])), below}};
  for (size_t i = 0; i < curve.time_ns.size();) {
    // Draws all changes within half a pixel as their lowest and highest value.
    const double x = chart.X(Ns(curve.time_ns[i]));
    double least = curve.value[i], most = least, last = least;
    const double first = least;
    for (; i < curve.time_ns.size() && chart.X(Ns(curve.time_ns[i])) < x + 0.5; ++i) {
      last = curve.value[i];
      least = std::min(least, last);
      most = std::max(most, last);
    }
    corners.push_back({x, corners.back().y});
    for (const double value : {first, most, least, last})
      if (corners.back().y != chart.Y(value) || corners.back().x != x)
        corners.push_back({x, chart.Y(value)});
  }
  corners.push_back({chart.X(Ns(end_ns)), corners.back().y});
  corners.push_back({chart.X(Ns(end_ns)), below});
  canvas.Area(std::move(corners), rgb);
}

// Draws the worker's share of each piece upwards from the axis.
void DrawShares(PlotCanvas& canvas, const PlotChart& chart, const WorkerActivity& worker,
                int64_t from_ns, int64_t to_ns, uint32_t rgb, bool with_runtime) {
  const double below = chart.box().y + chart.box().height;
  std::vector<PlotPoint> corners;
  const auto end = [&] {
    if (corners.empty()) return;
    corners.push_back({corners.back().x, below});
    canvas.Area(std::move(corners), rgb);
    corners.clear();
  };
  for (const ActivityPiece& piece : worker.pieces) {
    const int64_t begin_ns = std::max(piece.begin_ns, from_ns),
                  end_ns = std::min(piece.end_ns, to_ns);
    if (begin_ns >= end_ns) continue;
    const double share = Ns(piece.task_ns + (with_runtime ? piece.runtime_ns() : 0)) /
                         Ns(piece.end_ns - piece.begin_ns);
    const double left = chart.X(Ns(begin_ns)), right = chart.X(Ns(end_ns));
    const double top = chart.Y(100 * share);
    if (!corners.empty() && left - corners.back().x > 0.01) end();
    if (corners.empty()) corners.push_back({left, below});
    corners.push_back({left, top});
    corners.push_back({right, top});
  }
  end();
}

constexpr double kNamesEnd = kLeft + 26, kRowsWidth = kPlotWidth - kNamesEnd - kMargin;

// Draws a worker from its first to its last piece: its share of tasks and of the runtime in each.
void DrawWorker(PlotCanvas& canvas, const PlotBox& box, const PlotAxis& time,
                const Activity& activity, const WorkerActivity& worker) {
  // No ticks: the rows share the axis of the numbers of tasks below.
  canvas.Text(box.x - 6, box.y + box.height / 2 + 3, 9,
              PlotTextThatFits(worker.name, box.x - 10, 9), canvas.theme().ink, TextAnchor::kEnd);
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  for (const ActivityPiece& piece : worker.pieces) {
    first_ns = std::min(first_ns, piece.begin_ns);
    last_ns = std::max(last_ns, piece.end_ns);
  }
  const auto place = [&](int64_t ns) {
    return box.x + std::clamp((Ns(ns) - time.low) / (time.high - time.low), 0., 1.) * box.width;
  };
  if (first_ns < last_ns)
    canvas.Rect(place(first_ns), box.y, place(last_ns) - place(first_ns), box.height, kSleepRgb);
  PlotCanvas ignored(1, 1, canvas.theme(), "");  // only for its scale; no frame
  const PlotChart scale(ignored, box, time, {PlotQuantity::kPercent, "", 0, 100, false, false});
  DrawShares(canvas, scale, worker, activity.begin_ns, activity.end_ns, kRuntimeRgb, true);
  DrawShares(canvas, scale, worker, activity.begin_ns, activity.end_ns, kTaskRgb, false);
}

}  // namespace

PlotCanvas DrawActivity(std::span<const ActivityOfRun> runs, const PlotTheme& theme,
                        const std::string& after) {
  PlotCanvas canvas = Sheet(0, theme, "Activity of the workers");
  PlotAxis x{PlotQuantity::kTimeNs, "time" + after, INFINITY, -INFINITY, false, true};
  std::vector<double> counts;
  for (const ActivityOfRun& run : runs) {
    x.low = std::min(x.low, Ns(run.activity.begin_ns));
    x.high = std::max(x.high, Ns(run.activity.end_ns));
    for (const StepCurve* curve : {&run.activity.submitted, &run.activity.ready})
      counts.insert(counts.end(), curve->value.begin(), curve->value.end());
  }
  if (!(x.high > x.low)) x.high = x.low + 1;
  double top = kMargin + kTitle + 4;
  for (const ActivityOfRun& run : runs) {
    const Activity& activity = run.activity;
    if (!run.run.empty()) {
      canvas.Text(kMargin, top, 11, run.run, theme.ink, TextAnchor::kStart, true);
      top += 12;
    }
    const double height = activity.workers.size() > 16 ? 14 : 34;
    for (const WorkerActivity& worker : activity.workers) {
      DrawWorker(canvas, {kNamesEnd, top, kRowsWidth, height - 4}, x, activity, worker);
      top += height;
    }
    if (activity.workers.empty()) {
      canvas.Text(kNamesEnd, top + 12, 11, "no worker was there", theme.muted);
      top += 24;
    }
    const PlotChart chart(canvas, {kNamesEnd, top + 8, kRowsWidth, 110}, x,
                          PlotAxisFor(PlotQuantity::kCount, "tasks", counts));
    DrawSteps(canvas, chart, activity.submitted, activity.end_ns, kSubmittedRgb);
    DrawSteps(canvas, chart, activity.ready, activity.end_ns, kReadyRgb);
    top += 118 + kBelow + 8;
  }
  const PlotLegendEntry legend[] = {{"in tasks", Paint{kTaskRgb}},
                                    {"in the runtime", Paint{kRuntimeRgb}},
                                    {"asleep: nothing to do", Paint{kSleepRgb}},
                                    {"submitted tasks", Paint{kSubmittedRgb}},
                                    {"ready tasks", Paint{kReadyRgb}}};
  top += DrawPlotLegend(canvas, kNamesEnd, top - 6, kRowsWidth, legend);
  canvas.set_height(top + 4);
  return canvas;
}

namespace {

// Two matrices side by side.
constexpr double kMatrixColumn = (kPlotWidth - kMargin) / 2,
                 kMatrixSide = kMatrixColumn - kLeft - 70;

double OpacityOf(double share) { return 0.12 + 0.88 * share; }

// Draws the cells, darker for larger values, with the value if it fits.
void DrawCells(PlotCanvas& canvas, const Matrix& matrix, double left, double top, double cell,
               double most) {
  const size_t size = matrix.names.size();
  for (size_t from = 0; from < size; ++from)
    for (size_t to = 0; to < size; ++to) {
      const double value = matrix.values[from * size + to];
      if (!(value > 0)) continue;
      const double share = most > 0 ? value / most : 0;
      const double x = left + cell * static_cast<double>(from),
                   y = top + cell * static_cast<double>(to);
      const std::string text = PlotValueText(value, matrix.quantity) + matrix.unit_after;
      canvas.Rect(x, y, cell, cell, kBarRgb,
                  fmt::format("{} to {}: {}", matrix.names[from], matrix.names[to], text),
                  OpacityOf(share));
      if (PlotTextWidth(text, 9) < cell - 4)
        canvas.Text(x + cell / 2, y + cell / 2 + 3, 9, text,
                    share > 0.45 ? 0xFFFFFF : canvas.theme().ink, TextAnchor::kMiddle);
    }
}

// Labels columns below and rows to the left, as many as fit.
void DrawRanks(PlotCanvas& canvas, const Matrix& matrix, double left, double top, double cell) {
  const PlotTheme& theme = canvas.theme();
  const size_t every = cell < 14 ? static_cast<size_t>(14 / cell) + 1 : 1;
  for (size_t i = 0; i < matrix.names.size(); i += every) {
    const double middle = cell * (static_cast<double>(i) + 0.5);
    canvas.Text(left + middle, top + kMatrixSide + 12, 9, matrix.names[i], theme.muted,
                TextAnchor::kMiddle);
    canvas.Text(left - 4, top + middle + 3, 9, matrix.names[i], theme.muted, TextAnchor::kEnd);
  }
  const double right = left + kMatrixSide, bottom = top + kMatrixSide;
  canvas.Line({{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}},
              theme.muted, 0.8);
  canvas.Text(left + kMatrixSide / 2, top + kMatrixSide + 26, 10, "from rank", theme.ink,
              TextAnchor::kMiddle);
  canvas.TextUpwards(left - 44, top + kMatrixSide / 2, 10, "to rank", theme.ink);
}

// Draws the legend of the shades, up to `most`.
void DrawShades(PlotCanvas& canvas, double left, double top, std::string most) {
  constexpr int kShades = 20;
  for (int i = 0; i < kShades; ++i)
    canvas.Rect(left + 10, top + kMatrixSide - kMatrixSide * (i + 1) / kShades, 8,
                kMatrixSide / kShades, kBarRgb, "", OpacityOf((i + 0.5) / kShades));
  canvas.Text(left + 21, top + 8, 9, std::move(most), canvas.theme().muted);
  canvas.Text(left + 21, top + kMatrixSide, 9, "more than 0", canvas.theme().muted);
}

}  // namespace

PlotCanvas DrawMatrices(std::span<const Matrix> matrices, const PlotTheme& theme,
                        std::string title) {
  PlotCanvas canvas(matrices.size() > 1 ? kPlotWidth : kMatrixColumn + 2 * kMargin, 0, theme,
                    title);
  canvas.Text(kMargin, kMargin + 6, kTitleSize,
              PlotTextThatFits(title, canvas.width() - 2 * kMargin, kTitleSize), theme.ink,
              TextAnchor::kStart, true);
  double bottom = kMargin + kTitle;
  for (size_t m = 0; m < matrices.size(); ++m) {
    const Matrix& matrix = matrices[m];
    const double left = kMatrixColumn * static_cast<double>(m % 2) + kLeft;
    const double top = kMargin + kTitle + 14 + static_cast<double>(m / 2) * (kMatrixSide + 70);
    const double cell = kMatrixSide / static_cast<double>(std::max<size_t>(matrix.names.size(), 1));
    const double most =
        matrix.values.empty() ? 0 : *std::max_element(matrix.values.begin(), matrix.values.end());
    canvas.Text(left, top - 6, 10, matrix.heading, theme.ink, TextAnchor::kStart, true);
    DrawCells(canvas, matrix, left, top, cell, most);
    DrawRanks(canvas, matrix, left, top, cell);
    if (most > 0)
      DrawShades(canvas, left + kMatrixSide, top,
                 PlotValueText(most, matrix.quantity) + matrix.unit_after);
    bottom = std::max(bottom, top + kMatrixSide + 44);
  }
  canvas.set_height(bottom);
  return canvas;
}

namespace {

// Draws each wait in the row of its worker.
void DrawWaitsOfRun(PlotCanvas& canvas, const PlotBox& box, const PlotAxis& x,
                    const WaitsOfRun& run, const std::map<std::string, uint32_t>& rows) {
  const PlotChart chart(canvas, box, x, kRows, run.run);
  // (Rows have names instead of ticks.)
  const double each = box.height / static_cast<double>(std::max<size_t>(rows.size(), 1));
  for (const auto& [name, row] : rows)
    canvas.Text(box.x - 6, box.y + each * (row + 0.5) + 3, 9, PlotTextThatFits(name, box.x - 10, 9),
                canvas.theme().ink, TextAnchor::kEnd);
  std::set<std::tuple<long, long, uint32_t>> drawn;
  for (const WaitsOfRun::Wait& wait : run.waits) {
    const uint32_t row = rows.at(wait.worker);
    const double left = chart.X(Ns(wait.time_ns)), right = chart.X(Ns(wait.until_ns));
    if (!drawn.emplace(std::lround(2 * left), std::lround(2 * right), row).second) continue;
    const double end = std::max(right, left + 0.6), top = box.y + each * row + each * 0.15,
                 bottom = box.y + each * row + each * 0.85;
    canvas.Area({{left, top}, {end, top}, {end, bottom}, {left, bottom}}, kBarRgb, 0.35);
  }
}

void DrawLengthsOfWaits(PlotCanvas& canvas, const PlotBox& box, const WaitsOfRun& run,
                        double longest, const std::string& label) {
  std::vector<double> lengths;
  double total = 0;
  for (const WaitsOfRun::Wait& wait : run.waits) {
    lengths.push_back(Ns(wait.until_ns - wait.time_ns));
    total += lengths.back();
  }
  const Histogram bars = CountBetween(lengths, RoundBorders(0, longest, 30));
  const double most[] = {static_cast<double>(MostOf(bars))};
  const PlotChart chart(canvas, box,
                        {PlotQuantity::kTimeNs, label, 0, bars.borders.back(), false, true},
                        PlotAxisFor(PlotQuantity::kCount, "messages", most));
  DrawBars(canvas, chart, bars, kBarRgb, /*with_lengths=*/false);
  const double mean = lengths.empty() ? 0 : total / static_cast<double>(lengths.size());
  canvas.Text(box.x + box.width, box.y - 6, 9,
              fmt::format("{} messages, mean {}", lengths.size(),
                          PlotValueText(mean, PlotQuantity::kTimeNs)),
              canvas.theme().muted, TextAnchor::kEnd);
}

}  // namespace

PlotCanvas DrawWaits(std::span<const WaitsOfRun> runs, const PlotTheme& theme, std::string title,
                     std::string wait_label, const std::string& after) {
  PlotCanvas canvas = Sheet(0, theme, title);
  std::vector<double> moments;
  double longest = 1;
  for (const WaitsOfRun& run : runs)
    for (const WaitsOfRun::Wait& wait : run.waits) {
      moments.push_back(Ns(wait.time_ns));
      moments.push_back(Ns(wait.until_ns));
      longest = std::max(longest, Ns(wait.until_ns - wait.time_ns));
    }
  const PlotAxis x = PlotAxisOfMoments("time" + after, moments);
  constexpr double kMiddle = kPlotWidth * 0.55;
  double top = kMargin + kTitle + 8;
  for (const WaitsOfRun& run : runs) {
    std::map<std::string, uint32_t> rows;  // by worker, in the order of their names
    for (const WaitsOfRun::Wait& wait : run.waits) rows.emplace(wait.worker, 0);
    uint32_t next = 0;
    for (auto& [name, row] : rows) row = next++;
    const double height = std::max(160., 12. * next);
    DrawWaitsOfRun(canvas, {kLeft + 20, top, kMiddle - kLeft, height}, x, run, rows);
    DrawLengthsOfWaits(
        canvas, {kMiddle + kLeft + 20, top, kPlotWidth * 0.45 - kLeft - 20 - kMargin, height}, run,
        longest, wait_label);
    top += height + kBelow + 14;
  }
  canvas.set_height(top);
  return canvas;
}

namespace {

// The columns side by side, if there is data: speed; durations; their ratio.
std::vector<PlotAxis> AxesOfSpeeds(std::span<const SpeedsOfRun> runs) {
  double most_gflops = 0, most_ns = 0, most_percent = 100;
  for (const SpeedsOfRun& run : runs)
    for (const SpeedBar& bar : run.bars) {
      most_gflops = std::max(most_gflops, bar.gflops);
      most_ns = std::max({most_ns, bar.measured_ns, bar.expected_ns});
      most_percent = std::max(most_percent, 100 * bar.Efficiency());
    }
  std::vector<PlotAxis> axes;
  const auto add = [&](PlotQuantity quantity, std::string label, double most) {
    const double values[] = {most};
    axes.push_back(PlotAxisFor(quantity, std::move(label), values));
  };
  if (most_gflops > 0) add(PlotQuantity::kGFlops, "speed", most_gflops);
  if (most_ns > 0) {
    add(PlotQuantity::kTimeNs, "mean duration", most_ns);
    add(PlotQuantity::kPercent, "efficiency: expected of measured duration", most_percent);
  }
  return axes;
}

constexpr double kSpeedHeight = 24;  // height of a codelet

// Draws the quantity of `axis` for each codelet.
void DrawSpeedColumn(PlotCanvas& canvas, const PlotBox& box, const PlotAxis& axis,
                     const std::vector<SpeedBar>& bars) {
  const PlotTheme& theme = canvas.theme();
  const PlotChart chart(canvas, box, axis, kRows);
  // Draws a bar, with its value beside it, or inside if there is no room; 0: unknown.
  const auto draw = [&](double y, double thickness, double value, const Paint& paint) {
    constexpr double kTextSize = 9;
    const std::string says = value > 0 ? PlotValueText(value, axis.quantity) : "not told";
    const double to = value > 0 ? chart.X(value) : box.x, base = y + thickness / 2 + 3;
    if (value > 0) canvas.Rect(box.x, y, std::max(to - box.x, 0.5), thickness, paint.rgb, says);
    if (to + 4 + PlotTextWidth(says, kTextSize) <= box.x + box.width)
      canvas.Text(to + 4, base, kTextSize, says, value > 0 ? theme.ink : theme.muted);
    else
      canvas.Text(to - 4, base, kTextSize, says,
                  TextColour(paint.rgb) == "#fff" ? 0xFFFFFF : 0x000000, TextAnchor::kEnd);
  };
  for (size_t i = 0; i < bars.size(); ++i) {
    const SpeedBar& bar = bars[i];
    const double y = box.y + kSpeedHeight * static_cast<double>(i) + 2;
    if (axis.quantity == PlotQuantity::kGFlops) {
      draw(y + 2, kSpeedHeight - 8, bar.gflops, bar.paint);
    } else if (axis.quantity == PlotQuantity::kPercent) {
      draw(y + 2, kSpeedHeight - 8, 100 * bar.Efficiency(), bar.paint);
    } else if (bar.expected_ns > 0) {
      draw(y, kSpeedHeight / 2 - 2, bar.measured_ns, bar.paint);
      draw(y + kSpeedHeight / 2 - 2, kSpeedHeight / 2 - 2, bar.expected_ns, Paint{kExpectedRgb});
    } else {
      draw(y + 2, kSpeedHeight - 8, 0, bar.paint);
    }
  }
  if (axis.quantity == PlotQuantity::kPercent)
    canvas.Line({{chart.X(100), box.y}, {chart.X(100), box.y + box.height}}, theme.ink, 1, true);
}

}  // namespace

PlotCanvas DrawSpeeds(std::span<const SpeedsOfRun> runs, const PlotTheme& theme) {
  const std::vector<PlotAxis> axes = AxesOfSpeeds(runs);
  const bool has_lengths = std::any_of(axes.begin(), axes.end(), [](const PlotAxis& axis) {
    return axis.quantity == PlotQuantity::kTimeNs;
  });
  PlotCanvas canvas = Sheet(
      0, theme,
      has_lengths ? "Speed of codelets, and what their perfmodels expected" : "Speed of codelets");
  constexpr double kNames = 170, kGap = 24;
  const auto columns = static_cast<double>(std::max<size_t>(axes.size(), 1));
  const double each = (kPlotWidth - kMargin - kNames - kGap * (columns - 1) - kMargin) / columns;
  double top = kMargin + kTitle + 8;
  for (const SpeedsOfRun& run : runs) {
    const double height = std::max(1., static_cast<double>(run.bars.size())) * kSpeedHeight;
    if (!run.run.empty()) {
      canvas.Text(kMargin, top - 2, 10, PlotTextThatFits(run.run, kPlotWidth - 2 * kMargin, 10),
                  theme.ink, TextAnchor::kStart, true);
      top += 8;
    }
    for (size_t i = 0; i < run.bars.size(); ++i)
      canvas.Text(kMargin + kNames - 8, top + kSpeedHeight * (static_cast<double>(i) + 0.5) + 3, 10,
                  PlotTextThatFits(run.bars[i].label, kNames - 8, 10), theme.ink, TextAnchor::kEnd);
    double left = kMargin + kNames;
    for (const PlotAxis& axis : axes) {
      DrawSpeedColumn(canvas, {left, top, each, height}, axis, run.bars);
      left += each + kGap;
    }
    top += height + kBelow + 14;
  }
  if (has_lengths) {
    const PlotLegendEntry legend[] = {
        {"above: measured, of tasks with an estimate", Paint{kBarRgb}},
        {"below: expected by the perfmodel", Paint{kExpectedRgb}}};
    top += DrawPlotLegend(canvas, kMargin + kNames, top - 6,
                          kPlotWidth - kMargin - kNames - kMargin, legend);
  }
  canvas.set_height(top + 4);
  return canvas;
}

}  // namespace tasklens
