// SPDX-License-Identifier: Apache-2.0
// Points, bars and squares.
#include "server/pictures/plot_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "drawing/svg.h"

namespace tasklens {
namespace {

constexpr double kMargin = 18, kLeft = 74, kTitle = 30, kBelow = 46, kTitleSize = 14;
// As StarPU's handbook has them: work, the runtime, nothing to do.
constexpr uint32_t kTaskRgb = 0x2E9E4F, kRuntimeRgb = 0xD1352B, kSleepRgb = 0x3A3F47;
constexpr uint32_t kSubmittedRgb = 0x9AA1AB, kReadyRgb = 0x1565C0;
constexpr uint32_t kBarRgb = 0x1565C0, kExpectedRgb = 0x8B939E;
// Rows with names of their own.
const PlotAxis kRows{PlotQuantity::kCount, "", 0, 1, false, false};

PlotCanvas Sheet(double height, const PlotTheme& theme, const std::string& title) {
  PlotCanvas canvas(kPlotWidth, height, theme, title);
  canvas.Text(kMargin, kMargin + 6, kTitleSize,
              PlotTextThatFits(title, kPlotWidth - 2 * kMargin, kTitleSize), theme.ink,
              TextAnchor::kStart, true);
  return canvas;
}

// So that no two dots of one colour lie on each other.
class DrawnDots {
 public:
  explicit DrawnDots(PlotCanvas& canvas) : canvas_(canvas) {}
  void Draw(double x, double y, double radius, const Paint& paint) {
    if (drawn_
            .emplace(std::lround(2 * x), std::lround(2 * y), std::lround(2 * radius), paint.rgb,
                     paint.stripes)
            .second)
      DrawPlotMark(canvas_, x, y, radius, paint);
  }

 private:
  PlotCanvas& canvas_;
  std::set<std::tuple<long, long, long, uint32_t, uint32_t>> drawn_;
};

// More workers than the palette has colours have other forms, as codelets have.
Paint PaintOfWorker(uint32_t worker) {
  return {PaletteRgb(worker),
          static_cast<uint32_t>(worker / Palette().size() % (kMostStripes + 1))};
}

Paint PaintOf(const TaskSamples& samples, const TaskSample& sample, bool by_worker) {
  return by_worker ? PaintOfWorker(sample.worker) : samples.paints[sample.name];
}

// Those that are there in any run, once each.
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
      // (One name may have two colours in two runs, where the programs chose them.)
      const Paint paint = by_worker ? PaintOfWorker(i) : run.samples.paints[i];
      if (known.insert(label + fmt::format(" {:x} {}", paint.rgb, paint.stripes)).second)
        legend.push_back({label, paint, /*is_mark=*/true});
    }
  }
  return legend;
}

double Ns(int64_t ns) { return static_cast<double>(ns); }

// The same axis for all runs, `height` for each; draws the legend beneath.
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
                      for (const TaskSample& sample : runs[i].samples.samples)
                        dots.Draw(chart.X(static_cast<double>(sample.size_bytes)),
                                  chart.Y(Ns(sample.length_ns)), 2,
                                  PaintOf(runs[i].samples, sample, by_worker));
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
        for (const TaskSample& sample : runs[i].samples.samples) {
          // The area grows with the bytes.
          const double share = largest_bytes == 0 ? 0
                                                  : static_cast<double>(sample.size_bytes) /
                                                        static_cast<double>(largest_bytes);
          dots.Draw(chart.X(Ns(sample.start_ns)), chart.Y(Ns(sample.length_ns)),
                    kLeast + (kMost - kLeast) * std::sqrt(share),
                    PaintOf(runs[i].samples, sample, false));
        }
      });
  return canvas;
}

namespace {

void DrawPanel(PlotCanvas& canvas, const DurationPanel& panel, const PlotBox& box, double most,
               double low_ns, double high_ns) {
  const double counts[] = {most};
  PlotAxis x{PlotQuantity::kTimeNs, "duration", low_ns, high_ns, false, true};
  const PlotChart chart(canvas, box, x, PlotAxisFor(PlotQuantity::kCount, "executions", counts),
                        PlotTextThatFits(panel.label, box.width - 110, 10.5));
  const Histogram& bars = panel.histogram;
  uint64_t all = 0;
  for (size_t i = 0; i < bars.counts.size(); ++i) {
    all += bars.counts[i];
    if (bars.counts[i] == 0) continue;
    const double left = chart.X(bars.borders[i]), right = chart.X(bars.borders[i + 1]);
    const double top = chart.Y(static_cast<double>(bars.counts[i]));
    canvas.Rect(left, top, std::max(right - left - 0.5, 0.5), box.y + box.height - top,
                panel.paint.rgb,
                fmt::format("{} of {} to {}", bars.counts[i],
                            PlotValueText(bars.borders[i], PlotQuantity::kTimeNs),
                            PlotValueText(bars.borders[i + 1], PlotQuantity::kTimeNs)));
  }
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

// From (left, below) on; what is drawn takes few points a pixel.
void DrawSteps(PlotCanvas& canvas, const PlotChart& chart, const StepCurve& curve, int64_t end_ns,
               uint32_t rgb) {
  if (curve.time_ns.empty()) return;
  const double below = chart.box().y + chart.box().height;
  std::vector<PlotPoint> corners{{chart.X(Ns(curve.time_ns[0])), below}};
  for (size_t i = 0; i < curve.time_ns.size();) {
    // All changes of one half of a pixel: the least and the most.
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

// Its share of each piece, drawn up from the axis.
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
      const PlotBox box{kLeft + 26, top, kPlotWidth - kLeft - 26 - kMargin, height - 4};
      // No ticks of its own: its rows stand above the axis of the numbers of tasks.
      canvas.Text(box.x - 6, top + (height - 4) / 2 + 3, 9,
                  PlotTextThatFits(worker.name, box.x - 10, 9), theme.ink, TextAnchor::kEnd);
      const auto place = [&](int64_t ns) {
        return box.x + std::clamp((Ns(ns) - x.low) / (x.high - x.low), 0., 1.) * box.width;
      };
      int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
      for (const ActivityPiece& piece : worker.pieces) {
        first_ns = std::min(first_ns, piece.begin_ns);
        last_ns = std::max(last_ns, piece.end_ns);
      }
      if (first_ns < last_ns)
        canvas.Rect(place(first_ns), box.y, place(last_ns) - place(first_ns), box.height,
                    kSleepRgb);
      PlotCanvas ignored(1, 1, theme, "");  // a scale without a frame
      const PlotChart scale(ignored, box, x, {PlotQuantity::kPercent, "", 0, 100, false, false});
      DrawShares(canvas, scale, worker, activity.begin_ns, activity.end_ns, kRuntimeRgb, true);
      DrawShares(canvas, scale, worker, activity.begin_ns, activity.end_ns, kTaskRgb, false);
      top += height;
    }
    if (activity.workers.empty()) {
      canvas.Text(kLeft + 26, top + 12, 11, "no worker was there", theme.muted);
      top += 24;
    }
    const PlotBox box{kLeft + 26, top + 8, kPlotWidth - kLeft - 26 - kMargin, 110};
    const PlotChart chart(canvas, box, x, PlotAxisFor(PlotQuantity::kCount, "tasks", counts));
    DrawSteps(canvas, chart, activity.submitted, activity.end_ns, kSubmittedRgb);
    DrawSteps(canvas, chart, activity.ready, activity.end_ns, kReadyRgb);
    top += 118 + kBelow + 8;
  }
  const PlotLegendEntry legend[] = {{"in tasks", Paint{kTaskRgb}},
                                    {"in the runtime", Paint{kRuntimeRgb}},
                                    {"asleep: nothing to do", Paint{kSleepRgb}},
                                    {"submitted tasks", Paint{kSubmittedRgb}},
                                    {"ready tasks", Paint{kReadyRgb}}};
  top += DrawPlotLegend(canvas, kLeft + 26, top - 6, kPlotWidth - kLeft - 26 - kMargin, legend);
  canvas.set_height(top + 4);
  return canvas;
}

PlotCanvas DrawMatrices(std::span<const Matrix> matrices, const PlotTheme& theme,
                        std::string title) {
  // Two beside each other.
  constexpr double kColumn = (kPlotWidth - kMargin) / 2, kSide = kColumn - kLeft - 70;
  PlotCanvas canvas(matrices.size() > 1 ? kPlotWidth : kColumn + 2 * kMargin, 0, theme, title);
  canvas.Text(kMargin, kMargin + 6, kTitleSize,
              PlotTextThatFits(title, canvas.width() - 2 * kMargin, kTitleSize), theme.ink,
              TextAnchor::kStart, true);
  const auto opacity_of = [](double share) { return 0.12 + 0.88 * share; };
  double bottom = kMargin + kTitle;
  for (size_t m = 0; m < matrices.size(); ++m) {
    const Matrix& matrix = matrices[m];
    const size_t size = matrix.names.size();
    const double left = kColumn * static_cast<double>(m % 2) + kLeft;
    const double top = kMargin + kTitle + 14 + static_cast<double>(m / 2) * (kSide + 70);
    const double cell = kSide / static_cast<double>(std::max<size_t>(size, 1));
    const double most =
        matrix.values.empty() ? 0 : *std::max_element(matrix.values.begin(), matrix.values.end());
    canvas.Text(left, top - 6, 10, matrix.heading, theme.ink, TextAnchor::kStart, true);
    const auto text_of = [&](double value) {
      return PlotValueText(value, matrix.quantity) + matrix.unit_after;
    };
    const size_t every = cell < 14 ? static_cast<size_t>(14 / cell) + 1 : 1;
    for (size_t from = 0; from < size; ++from)
      for (size_t to = 0; to < size; ++to) {
        const double value = matrix.values[from * size + to];
        const double share = most > 0 ? value / most : 0;
        const double x = left + cell * static_cast<double>(from),
                     y = top + cell * static_cast<double>(to);
        if (value > 0)
          canvas.Rect(
              x, y, cell, cell, kBarRgb,
              fmt::format("{} to {}: {}", matrix.names[from], matrix.names[to], text_of(value)),
              opacity_of(share));
        if (value > 0 && PlotTextWidth(text_of(value), 9) < cell - 4)
          canvas.Text(x + cell / 2, y + cell / 2 + 3, 9, text_of(value),
                      share > 0.45 ? 0xFFFFFF : theme.ink, TextAnchor::kMiddle);
      }
    for (size_t i = 0; i < size; i += every) {
      const double middle = cell * (static_cast<double>(i) + 0.5);
      canvas.Text(left + middle, top + kSide + 12, 9, matrix.names[i], theme.muted,
                  TextAnchor::kMiddle);
      canvas.Text(left - 4, top + middle + 3, 9, matrix.names[i], theme.muted, TextAnchor::kEnd);
    }
    canvas.Line({{left, top},
                 {left + kSide, top},
                 {left + kSide, top + kSide},
                 {left, top + kSide},
                 {left, top}},
                theme.muted, 0.8);
    canvas.Text(left + kSide / 2, top + kSide + 26, 10, "from rank", theme.ink,
                TextAnchor::kMiddle);
    canvas.TextUpwards(left - 44, top + kSide / 2, 10, "to rank", theme.ink);
    // What the shades stand for.
    constexpr int kShades = 20;
    for (int i = 0; i < kShades && most > 0; ++i)
      canvas.Rect(left + kSide + 10, top + kSide - kSide * (i + 1) / kShades, 8, kSide / kShades,
                  kBarRgb, "", opacity_of((i + 0.5) / kShades));
    if (most > 0) {
      canvas.Text(left + kSide + 21, top + 8, 9, text_of(most), theme.muted);
      canvas.Text(left + kSide + 21, top + kSide, 9, "more than 0", theme.muted);
    }
    bottom = std::max(bottom, top + kSide + 44);
  }
  canvas.set_height(bottom);
  return canvas;
}

PlotCanvas DrawWaits(std::span<const WaitsOfRun> runs, const PlotTheme& theme, std::string title,
                     std::string wait_label, const std::string& after) {
  PlotCanvas canvas = Sheet(0, theme, title);
  std::vector<double> moments, lengths;
  for (const WaitsOfRun& run : runs)
    for (const WaitsOfRun::Wait& wait : run.waits) {
      moments.push_back(Ns(wait.time_ns));
      moments.push_back(Ns(wait.until_ns));
      lengths.push_back(Ns(wait.until_ns - wait.time_ns));
    }
  const PlotAxis x = PlotAxisOfMoments("time" + after, moments);
  const double longest =
      lengths.empty() ? 1 : std::max(*std::max_element(lengths.begin(), lengths.end()), 1.);
  double top = kMargin + kTitle + 8;
  for (const WaitsOfRun& run : runs) {
    std::map<std::string, uint32_t> rows;
    for (const WaitsOfRun::Wait& wait : run.waits) rows.emplace(wait.worker, 0);
    uint32_t next = 0;
    for (auto& [name, row] : rows) row = next++;
    const double height = std::max(160., 12. * next);
    const PlotBox box{kLeft + 20, top, kPlotWidth * 0.55 - kLeft, height};
    const PlotChart chart(canvas, box, x, kRows, run.run);
    // (Rows have names instead of ticks.)
    const double each = height / std::max(next, 1u);
    for (const auto& [name, row] : rows)
      canvas.Text(box.x - 6, top + each * (row + 0.5) + 3, 9, PlotTextThatFits(name, box.x - 10, 9),
                  theme.ink, TextAnchor::kEnd);
    std::set<std::tuple<long, long, uint32_t>> drawn;
    for (const WaitsOfRun::Wait& wait : run.waits) {
      const uint32_t row = rows[wait.worker];
      const double left = chart.X(Ns(wait.time_ns)), right = chart.X(Ns(wait.until_ns));
      if (drawn.emplace(std::lround(2 * left), std::lround(2 * right), row).second)
        canvas.Area({{left, top + each * row + each * 0.15},
                     {std::max(right, left + 0.6), top + each * row + each * 0.15},
                     {std::max(right, left + 0.6), top + each * row + each * 0.85},
                     {left, top + each * row + each * 0.85}},
                    kBarRgb, 0.35);
    }
    std::vector<double> of_run;
    double total = 0;
    for (const WaitsOfRun::Wait& wait : run.waits) {
      of_run.push_back(Ns(wait.until_ns - wait.time_ns));
      total += of_run.back();
    }
    DurationPanel panel{"", Paint{kBarRgb}, CountBetween(of_run, RoundBorders(0, longest, 30)),
                        total};
    const PlotBox beside{kPlotWidth * 0.55 + kLeft + 20, top,
                         kPlotWidth * 0.45 - kLeft - 20 - kMargin, height};
    const double most[] = {static_cast<double>(MostOf(panel.histogram))};
    const PlotChart bars(
        canvas, beside,
        {PlotQuantity::kTimeNs, wait_label, 0, panel.histogram.borders.back(), false, true},
        PlotAxisFor(PlotQuantity::kCount, "messages", most));
    for (size_t i = 0; i < panel.histogram.counts.size(); ++i) {
      if (panel.histogram.counts[i] == 0) continue;
      const double left = bars.X(panel.histogram.borders[i]),
                   right = bars.X(panel.histogram.borders[i + 1]),
                   up = bars.Y(static_cast<double>(panel.histogram.counts[i]));
      canvas.Rect(left, up, std::max(right - left - 0.5, 0.5), top + height - up, kBarRgb);
    }
    canvas.Text(
        beside.x + beside.width, top - 6, 9,
        fmt::format("{} messages, mean {}", of_run.size(),
                    PlotValueText(of_run.empty() ? 0 : total / static_cast<double>(of_run.size()),
                                  PlotQuantity::kTimeNs)),
        theme.muted, TextAnchor::kEnd);
    top += height + kBelow + 14;
  }
  canvas.set_height(top);
  return canvas;
}

PlotCanvas DrawSpeeds(std::span<const SpeedsOfRun> runs, const PlotTheme& theme) {
  double most_gflops = 0, most_ns = 0, most_percent = 100;
  for (const SpeedsOfRun& run : runs)
    for (const SpeedBar& bar : run.bars) {
      most_gflops = std::max(most_gflops, bar.gflops);
      most_ns = std::max({most_ns, bar.measured_ns, bar.expected_ns});
      most_percent = std::max(most_percent, 100 * bar.Efficiency());
    }
  PlotCanvas canvas = Sheet(
      0, theme,
      most_ns > 0 ? "Speed of codelets, and what their perfmodels expected" : "Speed of codelets");
  // Beside each other, as far as anything is told: speed; durations; their quotient.
  std::vector<PlotAxis> axes;
  const auto add = [&](PlotQuantity quantity, std::string label, double most) {
    const double values[] = {most};
    if (most > 0) axes.push_back(PlotAxisFor(quantity, std::move(label), values));
  };
  add(PlotQuantity::kGFlops, "speed", most_gflops);
  add(PlotQuantity::kTimeNs, "mean duration", most_ns);
  if (most_ns > 0)
    add(PlotQuantity::kPercent, "efficiency: expected of measured duration", most_percent);
  constexpr double kNames = 170, kBar = 24, kGap = 24, kTextSize = 9;
  const auto columns = static_cast<double>(std::max<size_t>(axes.size(), 1));
  const double each = (kPlotWidth - kMargin - kNames - kGap * (columns - 1) - kMargin) / columns;
  double top = kMargin + kTitle + 8;
  for (const SpeedsOfRun& run : runs) {
    const double height = std::max(1., static_cast<double>(run.bars.size())) * kBar;
    if (!run.run.empty()) {
      canvas.Text(kMargin, top - 2, 10, PlotTextThatFits(run.run, kPlotWidth - 2 * kMargin, 10),
                  theme.ink, TextAnchor::kStart, true);
      top += 8;
    }
    for (size_t i = 0; i < run.bars.size(); ++i)
      canvas.Text(kMargin + kNames - 8, top + kBar * (static_cast<double>(i) + 0.5) + 3, 10,
                  PlotTextThatFits(run.bars[i].label, kNames - 8, 10), theme.ink, TextAnchor::kEnd);
    double left = kMargin + kNames;
    for (const PlotAxis& axis : axes) {
      const PlotChart chart(canvas, {left, top, each, height}, axis, kRows);
      // A value as a bar, and in words beside it, or within it where there is no room; 0: not told.
      const auto draw = [&](double y, double thickness, double value, const Paint& paint) {
        const std::string says = value > 0 ? PlotValueText(value, axis.quantity) : "not told";
        const double to = value > 0 ? chart.X(value) : left, base = y + thickness / 2 + 3;
        if (value > 0) canvas.Rect(left, y, std::max(to - left, 0.5), thickness, paint.rgb, says);
        if (to + 4 + PlotTextWidth(says, kTextSize) <= left + each)
          canvas.Text(to + 4, base, kTextSize, says, value > 0 ? theme.ink : theme.muted);
        else
          canvas.Text(to - 4, base, kTextSize, says,
                      TextColour(paint.rgb) == "#fff" ? 0xFFFFFF : 0x000000, TextAnchor::kEnd);
      };
      for (size_t i = 0; i < run.bars.size(); ++i) {
        const SpeedBar& bar = run.bars[i];
        const double y = top + kBar * static_cast<double>(i) + 2;
        if (axis.quantity == PlotQuantity::kGFlops) {
          draw(y + 2, kBar - 8, bar.gflops, bar.paint);
        } else if (axis.quantity == PlotQuantity::kPercent) {
          draw(y + 2, kBar - 8, 100 * bar.Efficiency(), bar.paint);
        } else if (bar.expected_ns > 0) {
          draw(y, kBar / 2 - 2, bar.measured_ns, bar.paint);
          draw(y + kBar / 2 - 2, kBar / 2 - 2, bar.expected_ns, Paint{kExpectedRgb});
        } else {
          draw(y + 2, kBar - 8, 0, bar.paint);
        }
      }
      if (axis.quantity == PlotQuantity::kPercent)
        canvas.Line({{chart.X(100), top}, {chart.X(100), top + height}}, theme.ink, 1, true);
      left += each + kGap;
    }
    top += height + kBelow + 14;
  }
  if (most_ns > 0) {
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
