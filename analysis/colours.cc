// SPDX-License-Identifier: Apache-2.0
// Legends, and the part of the palettes that a trace needs.
#include "analysis/colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "analysis/critical_path.h"
#include "analysis/execution_order.h"
#include "analysis/statistics.h"
#include "analysis/sum.h"
#include "analysis/task_times.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

constexpr std::string_view kNames[kColourings] = {"codelet", "worker", "duration",
                                                  "waiting", "slack",  "iteration"};
constexpr uint32_t kGrey = 0xA8A8A8;
constexpr uint32_t kRed = 0xD73027;
constexpr size_t kShades = 16;

uint32_t Rgb(double red, double green, double blue) {
  const auto byte = [](double share) {
    return static_cast<uint32_t>(std::lround(std::clamp(share, 0., 1.) * 255));
  };
  return byte(red) << 16 | byte(green) << 8 | byte(blue);
}

// From pale yellow over green to dark blue: darker is more, with or without colour vision.
uint32_t ShadeRgb(double share) {
  constexpr std::array<std::array<double, 3>, 5> kStops = {{{0.99, 0.95, 0.70},
                                                            {0.63, 0.85, 0.55},
                                                            {0.25, 0.71, 0.65},
                                                            {0.17, 0.48, 0.70},
                                                            {0.20, 0.20, 0.52}}};
  const double at = std::clamp(share, 0., 1.) * (kStops.size() - 1);
  const size_t below = std::min<size_t>(static_cast<size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(below);
  const auto mix = [&](size_t i) {
    return kStops[below][i] * (1 - part) + kStops[below + 1][i] * part;
  };
  return Rgb(mix(0), mix(1), mix(2));
}

// Returns the keys with the most time, at most kMostColours - 1; `count`: number of keys.
std::vector<uint32_t> Costliest(const TraceModel& model, const Column<uint32_t>& key_of,
                                size_t count) {
  const TaskTable& tasks = model.tasks;
  std::vector<int64_t> total_ns(count, -1);  // -1: no task has this key
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (key_of[task] >= count) continue;
    int64_t& sum_ns = total_ns[key_of[task]];
    sum_ns = std::max<int64_t>(sum_ns, 0);
    if (Executed(tasks, task)) AddNs(sum_ns, tasks.RunNs(task));
  }
  std::vector<uint32_t> keys;
  for (uint32_t key = 0; key < count; ++key)
    if (total_ns[key] >= 0) keys.push_back(key);
  const auto costlier = [&](uint32_t a, uint32_t b) {
    return total_ns[a] != total_ns[b] ? total_ns[a] > total_ns[b] : a < b;
  };
  const size_t kept = std::min<size_t>(keys.size(), kMostColours - 1);
  std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(kept), keys.end(),
                    costlier);
  keys.resize(kept);
  return keys;
}

std::string ValueText(double value, std::string_view unit) {
  const auto whole = static_cast<int64_t>(std::llround(value));
  return unit == "ns" ? DurationText(whole) : std::to_string(whole);
}

}  // namespace

std::string_view ColourByName(ColourBy by) { return kNames[static_cast<size_t>(by)]; }

std::optional<ColourBy> ParseColourBy(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<ColourBy>(i);
  return std::nullopt;
}

TaskColours::TaskColours(const TraceModel& model, ColourBy by, Stop stop)
    : model_(model), by_(by), names_(model) {
  legend_.by = ColourByName(by);
  switch (by) {
    case ColourBy::kCodelet: MakeNames(); break;
    case ColourBy::kWorker: MakeWorkers(); break;
    default: MakeScale(stop); break;
  }
}

void TaskColours::MakeNames() {
  legend_.entries.push_back({.label = "other", .rgb = kMixedRgb, .is_of_many = true});
  entry_of_.assign(model_.strings.size(), 0);
  for (const StringId name : Costliest(model_, model_.tasks.name, model_.strings.size())) {
    entry_of_[name] = static_cast<uint32_t>(legend_.entries.size());
    const Paint paint = names_.OfName(name);
    legend_.entries.push_back({.label = StatisticsLabel(model_, StatisticsBy::kCodelet, name),
                               .rgb = paint.rgb,
                               .stripes = paint.stripes});
  }
}

void TaskColours::MakeWorkers() {
  legend_.entries.push_back({.label = "other", .rgb = kGrey});
  entry_of_.assign(model_.workers.size(), 0);
  std::vector<uint32_t> workers = Costliest(model_, model_.tasks.worker, model_.workers.size());
  std::sort(workers.begin(), workers.end());  // as on the timeline
  for (const uint32_t worker : workers) {
    entry_of_[worker] = static_cast<uint32_t>(legend_.entries.size());
    const uint32_t number = entry_of_[worker] - 1;
    legend_.entries.push_back(
        {.label = StatisticsLabel(model_, StatisticsBy::kWorker, worker),
         .rgb = PaletteRgb(number),
         .stripes =
             std::min<uint32_t>(number / static_cast<uint32_t>(Palette().size()), kMostStripes)});
  }
}

void TaskColours::MakeScale(Stop stop) {
  const TaskTable& tasks = model_.tasks;
  if (by_ == ColourBy::kSlack) {
    values_ = SlackNs(model_, stop);
  } else {
    values_.assign(tasks.size(), kNever);
    for (uint32_t task = 0; task < tasks.size(); ++task) {
      if (Stopped(stop, task)) return;
      if (by_ == ColourBy::kIteration) {
        if (tasks.iteration[task] >= 0) values_[task] = tasks.iteration[task];
      } else if (Executed(tasks, task)) {
        const int64_t from_ns =
            by_ == ColourBy::kDuration ? tasks.start_ns[task] : TimesOf(model_, task).ready_ns;
        const int64_t to_ns =
            by_ == ColourBy::kDuration ? tasks.end_ns[task] : tasks.start_ns[task];
        const int64_t paused_ns = by_ == ColourBy::kDuration ? tasks.paused_ns[task] : 0;
        if (from_ns != kNever) values_[task] = std::max<int64_t>(to_ns - from_ns - paused_ns, 0);
      }
    }
  }
  const bool is_time = by_ != ColourBy::kIteration;
  legend_.unit = is_time ? "ns" : "iteration";
  legend_.entries.push_back({.label = is_time ? "did not run" : "no iteration", .rgb = kGrey});
  if (is_time)
    legend_.entries.push_back({.label = by_ == ColourBy::kSlack ? "0 ns: critical" : "0 ns",
                               .rgb = by_ == ColourBy::kSlack ? kRed : ShadeRgb(0),
                               .low = 0,
                               .high = 0});
  first_shade_ = legend_.entries.size();
  double low = 0, high = -1;
  for (const int64_t value : values_) {
    if (value == kNever || (is_time && value <= 0)) continue;
    const auto number = static_cast<double>(value);
    low = high < 0 ? number : std::min(low, number);
    high = std::max(high, number);
  }
  if (high >= 0) AddShades(low, high, is_time);
}

void TaskColours::AddShades(double low, double high, bool by_ratio) {
  size_t count = low == high ? 1 : kShades;
  if (!by_ratio) count = std::min<size_t>(count, static_cast<size_t>(high - low) + 1);
  const double width = by_ratio ? std::pow(high / low, 1. / static_cast<double>(count))
                                : (high - low + 1) / static_cast<double>(count);
  for (size_t i = 0; i < count; ++i) {
    const auto edge = [&](size_t at) {
      return by_ratio ? low * std::pow(width, at) : low + width * static_cast<double>(at);
    };
    const double from = std::ceil(edge(i) - 1e-6);
    const double next = i + 1 == count ? high + 1 : std::ceil(edge(i + 1) - 1e-6);
    if (next <= from) continue;  // no whole number lies in it
    const double to = next - 1;
    std::string label = ValueText(from, legend_.unit);
    if (to > from) label += " to " + ValueText(to, legend_.unit);
    // For times, the palest shade means zero.
    const double first = by_ratio ? 1 : 0, steps = static_cast<double>(count) - 1 + first;
    const double share = count > 1 ? (static_cast<double>(i) + first) / steps : 0.5;
    // Small slack is what users look for, so it is dark.
    legend_.entries.push_back({.label = std::move(label),
                               .rgb = ShadeRgb(by_ == ColourBy::kSlack ? 1 - share : share),
                               .low = from,
                               .high = to});
  }
}

uint32_t TaskColours::EntryOf(uint32_t task) const {
  if (!values_.empty()) return EntryOfValue(static_cast<double>(values_[task]));
  const uint32_t key =
      by_ == ColourBy::kCodelet ? model_.tasks.name[task] : model_.tasks.worker[task];
  return key < entry_of_.size() ? entry_of_[key] : 0;
}

Paint TaskColours::PaintOf(uint32_t task) const {
  return by_ == ColourBy::kCodelet ? names_.OfTask(task) : legend_.entries[EntryOf(task)].paint();
}

Paint TaskColours::GroupPaintOf(uint32_t task) const {
  return by_ == ColourBy::kCodelet ? names_.OfName(model_.tasks.name[task])
                                   : legend_.entries[EntryOf(task)].paint();
}

uint32_t TaskColours::EntryOfValue(double value) const {
  const std::vector<LegendEntry>& entries = legend_.entries;
  if (value == static_cast<double>(kNever)) return 0;
  if (legend_.unit == "ns" && value <= 0) return 1;
  const auto first = entries.begin() + static_cast<std::ptrdiff_t>(first_shade_);
  if (first == entries.end()) return 0;
  // Returns the last shade that begins at or below the value.
  const auto after = std::upper_bound(first, entries.end(), value,
                                      [](double v, const LegendEntry& e) { return v < e.low; });
  return static_cast<uint32_t>((after == first ? first : after - 1) - entries.begin());
}

uint32_t TaskColours::EntryOfGroup(std::span<const uint32_t> tasks, uint32_t first_task) const {
  return values_.empty() ? EntryOf(first_task) : EntryOfValue(MeanOf(values_, tasks));
}

double MeanOf(const std::vector<int64_t>& values, std::span<const uint32_t> tasks) {
  double sum = 0;
  uint64_t count = 0;
  for (const uint32_t task : tasks) {
    if (values[task] == kNever) continue;
    sum += static_cast<double>(values[task]);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : static_cast<double>(kNever);
}

}  // namespace tasklens
