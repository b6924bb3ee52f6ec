// SPDX-License-Identifier: Apache-2.0
// Points and lines of a perfmodel, for gnuplot and as SVG.
#include "server/perfmodels/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "converters/writers/text.h"
#include "drawing/svg.h"
#include "trace/colours/colours.h"
#include "trace/model/executions.h"

namespace tasklens {
namespace {

struct Point {
  double value = 0, deviation = 0;
};

// The data of one architecture.
struct Curve {
  std::string name;  // "cpu0_impl0 (Comb0)"
  bool is_first;     // first implementation of its codelet
  const PerfmodelImplementation* implementation;
  std::map<uint64_t, Point> points;  // by size
};

Point PointOf(const PerfmodelEntry& entry, const CurveOptions& options) {
  constexpr double kGiga = 1e9, kMicro = 1e-6, kMilli = 1e-3;
  if (!options.in_flops) {
    const double unit = options.is_energy || options.is_power ? 1 : kMilli;
    return {entry.mean * unit, entry.deviation * unit};
  }
  const double per = entry.flops / (entry.mean * (options.is_energy ? 1 : kMicro)) / kGiga;
  return {per, per * entry.deviation / entry.mean};
}

std::vector<Curve> CurvesOf(const Perfmodel& model, const CurveOptions& options) {
  std::vector<Curve> curves;
  for (const PerfmodelCombination& combination : model.combinations) {
    if (options.combination && *options.combination != combination.number) continue;
    for (size_t i = 0; i < combination.implementations.size(); ++i) {
      Curve& curve = curves.emplace_back();
      curve.name = ArchName(combination.devices, static_cast<unsigned>(i), combination.number);
      curve.is_first = i == 0;
      curve.implementation = &combination.implementations[i];
      for (const PerfmodelEntry& entry : curve.implementation->entries)
        curve.points[entry.size_bytes] = PointOf(entry, options);
    }
  }
  return curves;
}

// gnuplot treats '_' as the start of a subscript.
std::string ForGnuplot(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string_view AxisName(const CurveOptions& options) {
  if (options.in_flops) return options.is_energy ? "GFlop/J" : "GFlop/s";
  if (options.is_power) return "Power (W)";
  return options.is_energy ? "Energy (J)" : "Time (ms)";
}

// Returns the entry of the same architecture and footprint.
const PerfmodelEntry* Find(const Perfmodel& model, const PerfmodelCombination& combination,
                           size_t implementation, uint32_t footprint) {
  for (const PerfmodelCombination& other : model.combinations) {
    if (other.devices != combination.devices || implementation >= other.implementations.size())
      continue;
    for (const PerfmodelEntry& entry : other.implementations[implementation].entries)
      if (entry.footprint == footprint) return &entry;
  }
  return nullptr;
}

}  // namespace

std::string CurveFileName(std::string_view symbol, const CurveOptions& options,
                          std::string_view ending) {
  const std::string_view kind = options.in_flops ? "gflops_" : options.is_power ? "power_" : "";
  return fmt::format("starpu_{}{}{}", kind, symbol, ending);
}

Perfmodel PowerModel(const Perfmodel& time, const Perfmodel& energy) {
  Perfmodel power;
  for (const PerfmodelCombination& combination : time.combinations) {
    PerfmodelCombination& to = power.combinations.emplace_back();
    to.number = combination.number;
    to.devices = combination.devices;
    for (size_t i = 0; i < combination.implementations.size(); ++i) {
      PerfmodelImplementation& watts = to.implementations.emplace_back();
      for (const PerfmodelEntry& entry : combination.implementations[i].entries) {
        const PerfmodelEntry* const joules = Find(energy, combination, i, entry.footprint);
        if (!joules || !(entry.mean > 0) || !(joules->mean > 0)) continue;
        PerfmodelEntry& of = watts.entries.emplace_back(entry);
        of.mean = joules->mean / (entry.mean * 1e-6);
        of.deviation =
            of.mean * std::hypot(joules->deviation / joules->mean, entry.deviation / entry.mean);
      }
    }
  }
  return power;
}

std::string MeasuresText(const TraceModel& trace, std::string_view symbol) {
  const TaskTable& tasks = trace.tasks;
  std::string text;
  for (const uint32_t id : EndedExecutions(trace)) {
    const Execution execution = ExecutionOf(trace, id);
    const uint32_t task = execution.task;
    if (trace.TaskNameOf(task) != symbol && trace.str(tasks.model[task]) != symbol) continue;
    text += fmt::format("{}\t{:f}\t{:f}\n", CleanText(trace.str(tasks.arch[task])),
                        static_cast<double>(tasks.size_bytes[task]),
                        static_cast<double>(execution.length_ns()) / 1e6);
  }
  return text;
}

std::string AveragesText(const Perfmodel& model, const CurveOptions& options) {
  const std::vector<Curve> curves = CurvesOf(model, options);
  std::set<uint64_t> sizes;
  for (const Curve& curve : curves)
    for (const auto& [size, point] : curve.points) sizes.insert(size);
  std::string text;
  for (const uint64_t size : sizes) {
    text += fmt::format("{:<15} ", size);
    for (const Curve& curve : curves) {
      const auto point = curve.points.find(size);
      text += point == curve.points.end()
                  ? std::string("\t\"\"\t\"\"")
                  : fmt::format("\t{:<15e}\t{:<15e}", point->second.value, point->second.deviation);
    }
    text += '\n';
  }
  return text;
}

std::string GnuplotText(const Perfmodel& model, std::string_view symbol, std::string_view host,
                        std::string_view folder, const CurveOptions& options) {
  const std::string name = CurveFileName(symbol, options, "");
  std::string text = fmt::format(
      "#!/usr/bin/gnuplot -persist\n\nset term postscript eps enhanced color\n"
      "set output \"{}.eps\"\nset title \"Model for codelet {} on {}\"\n"
      "set xlabel \"Total data size\"\nset ylabel \"{}\"\n\n"
      "set key top left\nset logscale x\nset logscale y\n\n{}plot",
      name, ForGnuplot(symbol), ForGnuplot(host), AxisName(options),
      options.has_measures ? "" : "set xrange [1 < * < 10**9 : 1 < * < 10**9]\n\n");
  const std::vector<Curve> curves = CurvesOf(model, options);
  std::vector<std::string> lines;
  const double unit = options.is_energy ? 1 : 0.001;
  for (const Curve& curve : curves) {
    if (options.in_flops) break;
    if (options.has_measures && curve.is_first)
      lines.push_back(fmt::format("\"< grep '^{}' {}/{}\" using 3:4 title \"Profiling {}\"",
                                  curve.name, folder, CurveFileName(symbol, options, ".data"),
                                  ForGnuplot(curve.name)));
    const PowerLaw& law = curve.implementation->power_law;
    const ShiftedPowerLaw& shifted = curve.implementation->shifted;
    const PerfmodelType type = GuessType(*curve.implementation);
    if (type == PerfmodelType::kShiftedPowerLaw) {
      lines.push_back(fmt::format(
          "{0:g} * {1:g} * x ** {2:g} + {0:g} * {3:g} title \"Non-Linear Regression {4}\"", unit,
          shifted.a, shifted.b, shifted.c, curve.name));
    } else if (type == PerfmodelType::kPowerLaw) {
      lines.push_back(fmt::format("{:g} * {:g} * x ** {:g} title \"Linear Regression {}\"", unit,
                                  law.alpha, law.beta, curve.name));
    }
  }
  size_t column = 2;
  for (const Curve& curve : curves) {
    if (curve.implementation->entries.empty()) continue;
    lines.push_back(fmt::format("\"{}/{}\" using 1:{}:{} with errorlines title \"Average {}\"",
                                folder, CurveFileName(symbol, options, "_avg.data"), column,
                                column + 1, ForGnuplot(curve.name)));
    column += 2;
  }
  for (size_t i = 0; i < lines.size(); ++i) text += (i ? ",\\\n\t" : "\t") + lines[i];
  text += fmt::format("\nset term png\nset output \"{}.png\"\nreplot\n\n", name);
  return text;
}

namespace {

constexpr double kWidth = 900, kHeight = 560, kLeft = 80, kRight = 250, kTop = 50, kBottom = 60;
constexpr double kFontSize = 12;

// A logarithmic axis.
class Axis {
 public:
  Axis(double begin, double end) : begin_(begin), end_(end) {}
  void Add(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low_ = std::min(low_, std::log10(value));
    high_ = std::max(high_, std::log10(value));
  }
  void Finish() {
    if (low_ > high_) low_ = high_ = 0;
    low_ = std::floor(low_ * 10 - 1) / 10;
    high_ = std::ceil(high_ * 10 + 1) / 10;
  }
  double low() const { return std::pow(10, low_); }
  double high() const { return std::pow(10, high_); }
  double At(double value) const {
    const double part = (std::log10(std::max(value, low())) - low_) / (high_ - low_);
    return begin_ + std::clamp(part, 0.0, 1.0) * (end_ - begin_);
  }
  // Powers of ten; if these are few, also their multiples by two and five.
  std::vector<double> Ticks() const {
    std::vector<double> ticks;
    const bool is_short = high_ - low_ < 3;
    for (double power = std::floor(low_); power <= high_; ++power)
      for (const double step : {1.0, 2.0, 5.0})
        if (const double tick = step * std::pow(10, power);
            (step == 1 || is_short) && tick >= low() && tick <= high())
          ticks.push_back(tick);
    return ticks;
  }

 private:
  double begin_, end_;
  double low_ = INFINITY, high_ = -INFINITY;
};

class Drawing {
 public:
  Drawing(const std::vector<Curve>& curves, const CurveOptions& options)
      : curves_(curves), options_(options) {
    for (const Curve& curve : curves)
      for (const auto& [size, point] : curve.points) {
        x_.Add(static_cast<double>(size));
        y_.Add(point.value + point.deviation);
        y_.Add(point.value);
      }
    x_.Finish();
    y_.Finish();
  }

  std::string Svg(const std::string& title) {
    svg_ = SvgHead(kWidth, kHeight, title,
                   ".tick { stroke: #ddd; }\n.axis { fill: none; stroke: #444; }\n");
    Text(kLeft, kTop - 20, "start", title);
    DrawAxes();
    for (size_t i = 0; i < curves_.size(); ++i) Draw(curves_[i], i);
    return svg_ + "</svg>\n";
  }

 private:
  void Text(double x, double y, std::string_view anchor, std::string_view text) {
    svg_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y,
        kFontSize, anchor, XmlText(text));
  }
  void Line(double x1, double y1, double x2, double y2, std::string_view style) {
    svg_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                        y1, x2, y2, style);
  }

  void DrawAxes() {
    for (const double tick : x_.Ticks()) {
      Line(x_.At(tick), kTop, x_.At(tick), kHeight - kBottom, "class=\"tick\"");
      Text(x_.At(tick), kHeight - kBottom + 18, "middle", fmt::format("{:g}", tick));
    }
    for (const double tick : y_.Ticks()) {
      Line(kLeft, y_.At(tick), kWidth - kRight, y_.At(tick), "class=\"tick\"");
      Text(kLeft - 6, y_.At(tick) + 4, "end", fmt::format("{:g}", tick));
    }
    svg_ += fmt::format("<rect class=\"axis\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                        kLeft, kTop, kWidth - kLeft - kRight, kHeight - kTop - kBottom);
    Text((kLeft + kWidth - kRight) / 2, kHeight - 16, "middle", "data of a task (bytes)");
    svg_ += fmt::format(
        "<text transform=\"translate(18 {}) rotate(-90)\" font-size=\"{}\" "
        "text-anchor=\"middle\">{}</text>\n",
        (kTop + kHeight - kBottom) / 2, kFontSize, AxisName(options_));
  }

  void Draw(const Curve& curve, size_t index) {
    const std::string colour = fmt::format("#{:06x}", PaletteRgb(index));
    const double legend_x = kWidth - kRight + 16,
                 legend_y = kTop + 12 + 20 * static_cast<double>(index);
    svg_ += fmt::format("<g class=\"curve\" data-name=\"{}\">\n", XmlText(curve.name));
    svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n", legend_x,
                        legend_y - 4, colour);
    svg_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\">{}</text>\n", legend_x + 12,
                    legend_y, kFontSize, FittingText(curve.name, kRight - 36, kFontSize));
    for (const auto& [size, point] : curve.points) {
      if (!(point.value > 0) || !std::isfinite(point.value)) continue;
      const double x = x_.At(static_cast<double>(size));
      Line(x, y_.At(point.value - point.deviation), x, y_.At(point.value + point.deviation),
           fmt::format("stroke=\"{}\"", colour));
      svg_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}: {} bytes, {:g} "
          "\u00b1 {:g} {}</title></circle>\n",
          x, y_.At(point.value), colour, XmlText(curve.name), size, point.value, point.deviation,
          AxisName(options_));
    }
    DrawRegression(*curve.implementation, colour);
    svg_ += "</g>\n";
  }

  void DrawRegression(const PerfmodelImplementation& implementation, const std::string& colour) {
    const PerfmodelType type = GuessType(implementation);
    const bool is_shifted = type == PerfmodelType::kShiftedPowerLaw;
    if (options_.in_flops || (!is_shifted && type != PerfmodelType::kPowerLaw)) return;
    constexpr int kSteps = 100;
    std::string points;
    for (int i = 0; i <= kSteps; ++i) {
      const double size = x_.low() * std::pow(x_.high() / x_.low(), i / double{kSteps});
      const double expected =
          is_shifted
              ? implementation.shifted.a * std::pow(size, implementation.shifted.b) +
                    implementation.shifted.c
              : implementation.power_law.alpha * std::pow(size, implementation.power_law.beta);
      const double value = expected * (options_.is_energy ? 1 : 0.001);
      if (value < y_.low() || value > y_.high()) continue;
      points += fmt::format("{:.1f},{:.1f} ", x_.At(size), y_.At(value));
    }
    svg_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" points=\"{}\"/>\n", colour, points);
  }

  const std::vector<Curve>& curves_;
  const CurveOptions& options_;
  Axis x_{kLeft, kWidth - kRight};
  Axis y_{kHeight - kBottom, kTop};
  std::string svg_;
};

}  // namespace

std::string CurvesSvg(const Perfmodel& model, std::string_view symbol, std::string_view host,
                      const CurveOptions& options) {
  const std::vector<Curve> curves = CurvesOf(model, options);
  return Drawing(curves, options).Svg(fmt::format("{} on {}", symbol, host));
}

}  // namespace tasklens
