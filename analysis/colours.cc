// SPDX-License-Identifier: Apache-2.0
// Palettes, and which part of them a trace needs.
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

// Easy to tell apart also for most who cannot tell red from green, and readable under black text.
constexpr uint32_t kDistinct[] = {0x5B9BD5, 0xF2A33A, 0x6CBF6A, 0xE0696B, 0xA98BD0, 0x4CC3BD,
                                  0xD9C84A, 0xE48CC0, 0x9C7B5F, 0x8FB4E8, 0xC4D96B, 0xB0B0C8};

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

// The keys with the most time, at most kMostColours - 1 of them; `count` keys in all.
std::vector<uint32_t> Costliest(const TraceModel& model, const Column<uint32_t>& key_of,
                                size_t count) {
  const TaskTable& tasks = model.tasks;
  std::vector<int64_t> total_ns(count, -1);  // -1: no task has this key
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (key_of[task] >= count) continue;
    int64_t& sum_ns = total_ns[key_of[task]];
    sum_ns = std::max<int64_t>(sum_ns, 0);
    if (Executed(tasks, task)) AddNs(sum_ns, tasks.end_ns[task] - tasks.start_ns[task]);
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

uint32_t DistinctRgb(uint32_t index) {
  if (index < std::size(kDistinct)) return kDistinct[index];
  // Around the circle of hues by the golden angle, so that no two come close soon.
  const double hue = std::fmod(index * 0.618033988749895, 1) * 6;
  const double low = 0.45, high = index % 2 ? 0.9 : 0.75;
  const double part = low + (high - low) * (1 - std::fabs(std::fmod(hue, 2) - 1));
  switch (static_cast<int>(hue)) {
    case 0: return Rgb(high, part, low);
    case 1: return Rgb(part, high, low);
    case 2: return Rgb(low, high, part);
    case 3: return Rgb(low, part, high);
    case 4: return Rgb(part, low, high);
    default: return Rgb(high, low, part);
  }
}

uint32_t StateRgb(StateKind state) {
  const StateDecl& decl = Decl(state);
  if (decl.group != StateGroup::kOther) return decl.rgb;
  const auto pale = [&](int shift) {
    const uint32_t byte = decl.rgb >> shift & 255;
    return (byte + 3 * 255) / 4 << shift;
  };
  return pale(16) | pale(8) | pale(0);
}

TaskColours::TaskColours(const TraceModel& model, ColourBy by, Stop stop) : model_(model), by_(by) {
  legend_.by = ColourByName(by);
  for (uint32_t task = 0; task < model.tasks.size() && !has_own_; ++task)
    has_own_ = model.tasks.rgb[task] != kNone;
  switch (by) {
    case ColourBy::kCodelet: MakeNames(); break;
    case ColourBy::kWorker: MakeWorkers(); break;
    default: MakeScale(stop); break;
  }
}

void TaskColours::MakeNames() {
  legend_.entries.push_back({"other", kGrey});
  entry_of_.assign(model_.strings.size(), 0);
  for (const StringId name : Costliest(model_, model_.tasks.name, model_.strings.size())) {
    entry_of_[name] = static_cast<uint32_t>(legend_.entries.size());
    legend_.entries.push_back(
        {StatisticsLabel(model_, StatisticsBy::kCodelet, name), DistinctRgb(entry_of_[name] - 1)});
  }
  for (uint32_t task = 0; task < model_.tasks.size(); ++task) {
    const uint32_t entry = entry_of_[model_.tasks.name[task]];
    if (entry > 0 && model_.tasks.rgb[task] != kNone)
      legend_.entries[entry].rgb = model_.tasks.rgb[task] & 0xFFFFFF;
  }
}

void TaskColours::MakeWorkers() {
  legend_.entries.push_back({"other", kGrey});
  entry_of_.assign(model_.workers.size(), 0);
  std::vector<uint32_t> workers = Costliest(model_, model_.tasks.worker, model_.workers.size());
  std::sort(workers.begin(), workers.end());  // as on the timeline
  for (const uint32_t worker : workers) {
    entry_of_[worker] = static_cast<uint32_t>(legend_.entries.size());
    legend_.entries.push_back({StatisticsLabel(model_, StatisticsBy::kWorker, worker),
                               DistinctRgb(entry_of_[worker] - 1)});
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
        if (from_ns != kNever) values_[task] = std::max<int64_t>(to_ns - from_ns, 0);
      }
    }
  }
  const bool is_time = by_ != ColourBy::kIteration;
  legend_.unit = is_time ? "ns" : "iteration";
  legend_.entries.push_back({is_time ? "did not run" : "no iteration", kGrey});
  if (is_time)
    legend_.entries.push_back({by_ == ColourBy::kSlack ? "0 ns: critical" : "0 ns",
                               by_ == ColourBy::kSlack ? kRed : ShadeRgb(0), 0, 0});
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
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.5;
    // Little slack is what one looks for.
    legend_.entries.push_back(
        {std::move(label), ShadeRgb(by_ == ColourBy::kSlack ? 1 - share : share), from, to});
  }
}

uint32_t TaskColours::EntryOf(uint32_t task) const {
  if (!values_.empty()) {
    const int64_t value = values_[task];
    return value == kNever ? 0 : EntryOfValue(static_cast<double>(value));
  }
  const uint32_t key =
      by_ == ColourBy::kCodelet ? model_.tasks.name[task] : model_.tasks.worker[task];
  return key < entry_of_.size() ? entry_of_[key] : 0;
}

uint32_t TaskColours::EntryOfValue(double value) const {
  const std::vector<LegendEntry>& entries = legend_.entries;
  if (legend_.unit == "ns" && value <= 0) return 1;
  const auto first = entries.begin() + static_cast<std::ptrdiff_t>(first_shade_);
  if (first == entries.end()) return 0;
  // The last shade that begins at or below the value.
  const auto after = std::upper_bound(first, entries.end(), value,
                                      [](double v, const LegendEntry& e) { return v < e.low; });
  return static_cast<uint32_t>((after == first ? first : after - 1) - entries.begin());
}

}  // namespace tasklens
