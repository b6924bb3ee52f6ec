// SPDX-License-Identifier: Apache-2.0
// Combinations, compositions, operations, and the filter of records.
#include "converters/paraver_views/functions.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <numbers>
#include <numeric>
#include <ranges>

namespace tasklens {
namespace {

double Sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Returns the value shared by all, if it is one of the parameters.
double Common(std::span<const double> values, const ViewFunction& function) {
  if (!function.Names(values[0])) return 0;
  const bool all =
      std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
  return all ? values[0] : 0;
}

double MostFrequent(std::span<const double> values) {
  std::map<double, size_t> count;
  for (const double value : values) ++count[value];
  return std::max_element(count.begin(), count.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

double At(std::span<const double> values, double index) {
  return index >= 0 && index < static_cast<double>(values.size())
             ? values[static_cast<size_t>(index)]
             : 0;
}

using Values = std::span<const double>;
using Chosen = const ViewFunction&;

constexpr Combination kCombinations[] = {
    {"Adding", [](Values values, Chosen, size_t) { return Sum(values); }},
    {"Adding Sign", [](Values values, Chosen, size_t) { return Sum(values) > 0 ? 1.0 : 0.0; }},
    {"AddingSign", [](Values values, Chosen, size_t) { return Sum(values) > 0 ? 1.0 : 0.0; }},
    {"Average", [](Values values, Chosen,
                   size_t) { return Sum(values) / static_cast<double>(values.size()); }},
    {"Maximum",
     [](Values values, Chosen, size_t) { return *std::max_element(values.begin(), values.end()); }},
    {"Minimum",
     [](Values values, Chosen, size_t) { return *std::min_element(values.begin(), values.end()); }},
    {"Activity", [](Values values, Chosen f, size_t) { return Common(values, f); }},
    {"In Activity",
     [](Values values, Chosen f, size_t) { return Common(values, f) != 0 ? 1.0 : 0.0; }},
    {"Mode", [](Values values, Chosen, size_t) { return MostFrequent(values); }},
    // Counted from 1, unlike the next function.
    {"Thread i", [](Values values, Chosen f, size_t) { return At(values, f.First(0, 1) - 1); }},
    {"Add Tasks",
     [](Values values, Chosen f, size_t) {
       if (f.parameters.empty()) return At(values, 0);
       double sum = 0;
       for (const double index : f.parameters[0]) sum += At(values, index);
       return sum;
     }},
    {"Changed value", [](Values values, Chosen, size_t changed) { return values[changed]; }},
};

// --- Compositions ---

double Remainder(double value, Chosen f) {
  const double divider = f.First(0, 1);
  return std::fmod(value, divider == 0 ? 1 : divider);
}
// Parameters are the maxima and the minima of ranges; as many ranges as both lists have.
template <class Holds>
bool InSomeRange(Chosen f, Holds holds) {
  if (f.parameters.size() < 2) return holds(f.First(0, 1), f.First(1, 0));
  for (size_t i = 0; i < std::min(f.parameters[0].size(), f.parameters[1].size()); ++i)
    if (holds(f.parameters[0][i], f.parameters[1][i])) return true;
  return false;
}
bool InRange(double value, Chosen f) {
  return InSomeRange(f, [&](double most, double least) { return value <= most && value >= least; });
}
bool InOpenRange(double value, Chosen f) {
  return InSomeRange(f, [&](double most, double least) { return value < most && value >= least; });
}

// A value other than 0 is pushed onto a stack, 0 pops one: the new value is f(stack).
template <class F>
void OverStack(Steps& steps, F f) {
  std::vector<double> stack;
  for (Step& step : steps.steps()) {
    if (step.value != 0)
      stack.push_back(step.value);
    else if (!stack.empty())
      stack.pop_back();
    step.value = f(stack);
  }
}
double Top(const std::vector<double>& stack) { return stack.empty() ? 0 : stack.back(); }

void Delta(Steps& steps, int64_t, Chosen, double) {
  double last = 0;
  for (Step& step : steps.steps()) {
    const double value = step.value;
    step.value = value - last;
    last = value;
  }
}

void Accumulate(Steps& steps, int64_t, Chosen, double) {
  double sum = 0;
  for (Step& step : steps.steps()) step.value = sum += step.value;
}

void Enumerate(Steps& steps, int64_t, Chosen, double) {
  double count = 0;
  for (Step& step : steps.steps()) step.value = count += step.value != 0;
}

void JoinBursts(Steps& steps, int64_t, Chosen, double) {
  std::vector<Step>& all = steps.steps();
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Step& a, const Step& b) { return a.value == b.value; }),
            all.end());
}

// Replaces the value of each burst by f(begin, end).
template <class F>
void OverTimes(Steps& steps, int64_t end, F f) {
  for (size_t i = 0; i < steps.steps().size(); ++i) {
    Step& step = steps.steps()[i];
    step.value = f(static_cast<double>(step.begin), static_cast<double>(steps.EndOf(i, end)));
  }
}

// Replaces a value by the number of different values since its last occurrence, from 1; if it is
// not among the latest `most` values, by most + 1. 0 stays 0.
void LruDepth(Steps& steps, int64_t, Chosen f, double) {
  constexpr double kDepth = 256, kMostDepth = 65536;
  const auto most = static_cast<size_t>(std::clamp(f.First(0, kDepth), 0.0, kMostDepth));
  std::list<double> last;
  for (Step& step : steps.steps()) {
    const double value = step.value;
    if (value == 0) continue;
    size_t depth = 1;
    auto at = last.begin();
    for (; at != last.end() && *at != value; ++at) ++depth;
    if (at == last.end()) {
      depth = most + 1;
      if (last.size() > most) last.pop_back();
    } else {
      last.erase(at);
    }
    last.push_front(value);
    step.value = static_cast<double>(depth);
  }
}

// A burst other than 0 lasts for the parameter's time, in units of the trace; the rest of the burst
// in which that time ends is 0.
void Timer(Steps& steps, int64_t end, Chosen f, double) {
  const auto lasts =
      static_cast<int64_t>(std::clamp(f.First(0, 1), 0.0, static_cast<double>(INT64_MAX / 4)));
  Steps result;
  int64_t begin = 0;
  bool runs = false;
  for (size_t i = 0; i < steps.steps().size(); ++i) {
    const Step step = steps.steps()[i];
    const int64_t until = steps.EndOf(i, end);
    result.Put(step.begin, step.value);
    if (step.value == 0) {
      runs = false;
      continue;
    }
    if (!runs) begin = step.begin;
    runs = until - begin <= lasts;
    if (!runs && begin + lasts < until) result.Put(begin + lasts, 0);
  }
  steps = std::move(result);
}

// A result that is no number becomes 0, and so does a negative logarithm.
double Power(double value, Chosen f) {
  const double power = std::pow(f.First(0, std::numbers::e), value);
  return std::isnan(power) ? 0 : power;
}
double Logarithm(double value, Chosen f) {
  return value <= 0 ? 0 : std::max(0.0, std::log(value) / std::log(f.First(0, std::numbers::e)));
}

double Translated(double value, Chosen f) {
  if (f.parameters.empty()) return value;
  for (size_t i = 0; i + 1 < f.parameters[0].size(); i += 2)
    if (f.parameters[0][i] == value) return f.parameters[0][i + 1];
  return value;
}

constexpr Composition kCompositions[] = {
    {"As Is", [](double v, Chosen) { return v; }, nullptr},
    {"Sign", [](double v, Chosen) { return v != 0 ? 1.0 : 0.0; }, nullptr},
    {"1-Sign", [](double v, Chosen) { return v != 0 ? 0.0 : 1.0; }, nullptr},
    {"Mod", &Remainder, nullptr},
    {"Mod+1", [](double v, Chosen f) { return Remainder(v, f) + 1; }, nullptr},
    {"Div",
     [](double v, Chosen f) { return f.First(0, 1) == 0 ? std::fmod(v, 1) : v / f.First(0, 1); },
     nullptr},
    {"Prod", [](double v, Chosen f) { return v * f.First(0, 0); }, nullptr},
    {"Add", [](double v, Chosen f) { return v + f.First(0, 0); }, nullptr},
    {"Subs", [](double v, Chosen f) { return v - f.First(0, 0); }, nullptr},
    {"Complement", [](double v, Chosen f) { return f.First(0, 0) - v; }, nullptr},
    {"Inverse Div", [](double v, Chosen f) { return v == 0 ? 0 : f.First(0, 1) / v; }, nullptr},
    {"Select Range", [](double v, Chosen f) { return InRange(v, f) ? v : 0; }, nullptr},
    {"Select Range [)", [](double v, Chosen f) { return InOpenRange(v, f) ? v : 0; }, nullptr},
    {"Is In Range", [](double v, Chosen f) { return InRange(v, f) ? 1.0 : 0.0; }, nullptr},
    {"Is In Range [)", [](double v, Chosen f) { return InOpenRange(v, f) ? 1.0 : 0.0; }, nullptr},
    {"Is Equal", [](double v, Chosen f) { return f.Names(v) ? v : 0; }, nullptr},
    {"Is Equal (Sign)", [](double v, Chosen f) { return f.Names(v) ? 1.0 : 0.0; }, nullptr},
    {"Floor", [](double v, Chosen) { return std::floor(v); }, nullptr},
    {"Ceil", [](double v, Chosen) { return std::ceil(v); }, nullptr},
    {"Round", [](double v, Chosen) { return std::rint(v); }, nullptr},
    {"Abs", [](double v, Chosen) { return std::abs(v); }, nullptr},
    {"sin", [](double v, Chosen) { return std::sin(v); }, nullptr},
    {"cos", [](double v, Chosen) { return std::cos(v); }, nullptr},
    {"arc tan", [](double v, Chosen) { return std::atan(v); }, nullptr},
    {"sqrt (abs)", [](double v, Chosen) { return std::sqrt(std::abs(v)); }, nullptr},
    {"exp", &Power, nullptr},
    {"log N", &Logarithm, nullptr},
    {"Translate", &Translated, nullptr},
    {"Stacked Val", nullptr, [](Steps& steps, int64_t, Chosen, double) { OverStack(steps, &Top); }},
    {"In Stacked Val", nullptr,
     [](Steps& steps, int64_t, Chosen f, double) {
       OverStack(steps, [&](const std::vector<double>& stack) {
         return f.Names(Top(stack)) ? Top(stack) : 0;
       });
     }},
    {"Nesting level", nullptr,
     [](Steps& steps, int64_t, Chosen, double) {
       OverStack(steps, [](const std::vector<double>& stack) {
         return static_cast<double>(stack.size());
       });
     }},
    {"LRU Depth", nullptr, &LruDepth},
    {"Timer", nullptr, &Timer},
    {"Enumerate", nullptr, &Enumerate},
    {"Accumulate", nullptr, &Accumulate},
    {"Delta", nullptr, &Delta},
    {"Join Bursts", nullptr, &JoinBursts},
    {"Burst Time", nullptr,
     [](Steps& steps, int64_t end, Chosen, double scale) {
       OverTimes(steps, end, [&](double begin, double until) { return (until - begin) * scale; });
     }},
    {"Divide by Burst Time", nullptr,
     [](Steps& steps, int64_t end, Chosen, double scale) {
       for (size_t i = 0; i < steps.steps().size(); ++i) {
         Step& step = steps.steps()[i];
         const auto lasts = static_cast<double>(steps.EndOf(i, end) - step.begin);
         step.value = lasts == 0 ? 0 : step.value / (lasts * scale);
       }
     }},
    {"Begin Time", nullptr,
     [](Steps& steps, int64_t end, Chosen, double scale) {
       OverTimes(steps, end, [&](double begin, double) { return begin * scale; });
     }},
    {"End Time", nullptr,
     [](Steps& steps, int64_t end, Chosen, double scale) {
       OverTimes(steps, end, [&](double, double until) { return until * scale; });
     }},
};

// For each burst of `control`, f(indices of the bursts of `data` in it).
template <class F>
Steps OverBursts(const Steps& data, const Steps& control, int64_t end, F f) {
  Steps result;
  size_t at = 0;
  for (size_t burst = 0; burst < control.steps().size(); ++burst) {
    const int64_t begin = control.steps()[burst].begin, until = control.EndOf(burst, end);
    while (at + 1 < data.steps().size() && data.steps()[at + 1].begin <= begin) ++at;
    size_t behind = at + 1;
    while (behind < data.steps().size() && data.steps()[behind].begin < until) ++behind;
    result.Put(begin, f(std::views::iota(at, behind)));
  }
  return result;
}

Steps MaximumOver(const Steps& data, const Steps& control, int64_t end) {
  return OverBursts(data, control, end, [&](const auto& bursts) {
    double most = 0;
    for (const size_t i : bursts) most = std::max(most, data.steps()[i].value);
    return most;
  });
}

Steps SumOver(const Steps& data, const Steps& control, int64_t end) {
  return OverBursts(data, control, end, [&](const auto& bursts) {
    double sum = 0;
    for (const size_t i : bursts) sum += data.steps()[i].value;
    return sum;
  });
}

// Calls f(time, burst of `data`, burst of `control`) where either begins.
template <class F>
void ForBoth(const Steps& data, const Steps& control, F f) {
  size_t d = 0, c = 0;
  for (int64_t time = 0;;) {
    f(time, data.steps()[d], control.steps()[c]);
    const bool more_data = d + 1 < data.steps().size(), more = c + 1 < control.steps().size();
    if (!more_data && !more) return;
    time = std::min(more_data ? data.steps()[d + 1].begin : INT64_MAX,
                    more ? control.steps()[c + 1].begin : INT64_MAX);
    if (more_data && data.steps()[d + 1].begin == time) ++d;
    if (more && control.steps()[c + 1].begin == time) ++c;
  }
}

// The data; 0 from each fall of the control to the data's next burst.
Steps ClearBy(const Steps& data, const Steps& control, int64_t) {
  Steps result;
  double last_control = 0;
  bool cleared = false;
  ForBoth(data, control, [&](int64_t time, const Step& burst, const Step& limit) {
    if (limit.value < last_control)
      cleared = true;
    else if (burst.begin == time)
      cleared = false;
    last_control = limit.value;
    result.Put(time, cleared ? 0 : burst.value);
  });
  return result;
}

// The number of bursts of the data, other than 0, that began since the control fell. As in Paraver,
// a burst that begins while the data's first burst lasts, or at its end, counts whatever its value.
Steps EnumerateSince(const Steps& data, const Steps& control, int64_t) {
  Steps result;
  double last_control = 0, count = 0;
  int64_t last_begin = 0;
  ForBoth(data, control, [&](int64_t time, const Step& burst, const Step& limit) {
    if (limit.value < last_control)
      count = 0;
    else if (last_begin == 0 || (burst.begin != last_begin && burst.value != 0))
      ++count;
    last_control = limit.value;
    last_begin = burst.begin;
    result.Put(time, count);
  });
  return result;
}

// For each burst of the control, the mean of the data's bursts that overlap it, weighted by their
// whole length, including the parts outside.
Steps AverageOver(const Steps& data, const Steps& control, int64_t end) {
  return OverBursts(data, control, end, [&](const auto& bursts) {
    double sum = 0, time = 0;
    for (const size_t i : bursts) {
      const auto lasts = static_cast<double>(data.EndOf(i, end) - data.steps()[i].begin);
      sum += data.steps()[i].value * lasts;
      time += lasts;
    }
    return time == 0 ? 0 : sum / time;
  });
}

constexpr Operation kOperations[] = {
    {"add", [](double a, double b) { return a + b; }, nullptr},
    {"substract", [](double a, double b) { return a - b; }, nullptr},  // Paraver's spelling
    {"product", [](double a, double b) { return a * b; }, nullptr},
    {"divide", [](double a, double b) { return b == 0 ? 0 : a / b; }, nullptr},
    {"maximum", [](double a, double b) { return std::max(a, b); }, nullptr},
    {"minimum", [](double a, double b) { return std::min(a, b); }, nullptr},
    {"different", [](double a, double b) { return a != b ? 1.0 : 0.0; }, nullptr},
    {"controlled: clear by", nullptr, &ClearBy},
    {"controlled: maximum", nullptr, &MaximumOver},
    {"controlled: add", nullptr, &SumOver},
    {"controlled: enumerate", nullptr, &EnumerateSince},
    {"controlled: average", nullptr, &AverageOver},
};

constexpr CpuFunction kCpuFunctions[] = {
    {"Active Thd", [](double v, Chosen) { return v; }},
    {"Active Thd Sign", [](double v, Chosen) { return v != 0 ? 1.0 : 0.0; }},
    {"Active Thd Val", [](double v, Chosen f) { return f.Names(v) ? v : 0; }},
    {"Active Thd Val Sign", [](double v, Chosen f) { return f.Names(v) ? 1.0 : 0.0; }},
};

}  // namespace

std::span<const Combination> Combinations() { return kCombinations; }
std::span<const Composition> Compositions() { return kCompositions; }
std::span<const Operation> Operations() { return kOperations; }
std::span<const CpuFunction> CpuFunctions() { return kCpuFunctions; }

bool RecordFilter::Condition::Holds(double value) const {
  if (values.empty() || kind == "All") return kind == "All";
  const auto among = [&] { return std::find(values.begin(), values.end(), value) != values.end(); };
  const auto all = [&](auto holds) { return std::all_of(values.begin(), values.end(), holds); };
  if (kind == "=") return among();
  if (kind == "!=") return !among();
  if (kind == ">") return all([&](double limit) { return value > limit; });
  if (kind == "<") return all([&](double limit) { return value < limit; });
  if (kind == "[x,y]") return value >= values[0] && (values.size() < 2 || value <= values[1]);
  return false;  // "None"
}

Result<RecordFilter> RecordFilter::Of(const ParaverRecords& records, const ViewWindow& window,
                                      Level level) {
  constexpr std::string_view kConditions[] = {"All", "None", "=", "!=", ">", "<", "[x,y]"};
  RecordFilter filter(records, window, level);
  const std::pair<std::string_view, Condition&> rows[] = {
      {"evt_type", filter.type_},    {"evt_value", filter.value_}, {"tag_msg", filter.tag_},
      {"size_msg", filter.size_},    {"from_obj", filter.from_},   {"to_obj", filter.to_},
      {"bw_msg", filter.bandwidth_},
  };
  for (const auto& [field, condition] : rows) {
    const ViewFunction function = window.Function(field, "All");
    if (std::find(std::begin(kConditions), std::end(kConditions), function.name) ==
        std::end(kConditions)) {
      std::string message = "line " + std::to_string(function.line) + ": the filter " +
                            std::string(field) + " has no condition '" + function.name +
                            "'; it has";
      for (const std::string_view known : kConditions) message += ' ' + std::string(known);
      return Status(ErrorCode::kUnsupported, std::move(message));
    }
    condition.kind = function.name;
    if (!function.parameters.empty()) condition.values = function.parameters[0];
  }
  return filter;
}

// If one condition of a pair is enough, Paraver ignores the second once the first holds.
bool RecordFilter::Passes(const ParaverRecords::Event& event) const {
  const bool type = type_.Holds(event.type);
  if (type != window_->both_type_value) return type;
  return value_.values.empty() ? type : value_.Holds(static_cast<double>(event.value));
}

bool RecordFilter::HoldsForRow(const Condition& condition, uint32_t thread, uint32_t cpu) const {
  const uint32_t row = RowOfRecord(*records_, level_, thread, cpu);
  // Rows are counted from 0; a record without a row matches none of the values.
  return condition.Holds(row == kNoRow ? -1 : static_cast<double>(row));
}

bool RecordFilter::Passes(const ParaverRecords::Communication& m) const {
  if (!window_->logical && !window_->physical) return false;
  if (!window_->within_nodes || !window_->between_nodes) {
    const bool same = RowOfRecord(*records_, Level::kNode, m.from, m.from_cpu) ==
                      RowOfRecord(*records_, Level::kNode, m.to, m.to_cpu);
    if (same ? !window_->within_nodes : !window_->between_nodes) return false;
  }
  const bool from = HoldsForRow(from_, m.from, m.from_cpu);
  if (from != window_->both_from_to) return from;
  if (!HoldsForRow(to_, m.to, m.to_cpu)) return false;
  const bool tag = tag_.Holds(static_cast<double>(m.tag));
  if (tag != window_->both_tag_size) return tag;
  const auto size = static_cast<double>(m.size);
  if (!size_.Holds(size)) return false;
  const double time =
      TransferTime(m, *window_) * static_cast<double>(records_->ns_per_unit) / window_->ns_per_unit;
  return bandwidth_.Holds(size / time);
}

double TransferTime(const ParaverRecords::Communication& m, const ViewWindow& window) {
  const bool by_logical = window.logical && m.logical_receive > m.physical_receive;
  const int64_t begin = by_logical || !window.physical ? m.logical_send : m.physical_send;
  return static_cast<double>((by_logical ? m.logical_receive : m.physical_receive) - begin);
}

Steps CpuOfThread(const ParaverRecords& records, uint32_t thread) {
  Steps steps;
  const auto& states = records.threads[thread].states;
  const auto& events = records.threads[thread].events;
  size_t event = 0;
  const auto put_events = [&](int64_t end) {
    for (; event < events.size() && events[event].time < end; ++event)
      steps.Put(events[event].time, events[event].cpu);
  };
  for (size_t i = 0; i < states.size(); ++i) {
    put_events(states[i].begin);
    steps.Put(states[i].begin, states[i].cpu);
    while (event < events.size() && events[event].time < states[i].end) ++event;
    const int64_t next = i + 1 < states.size() ? states[i + 1].begin : records.end;
    if (states[i].end < next) steps.Put(states[i].end, 0);
  }
  put_events(INT64_MAX);
  return steps;
}

}  // namespace tasklens
