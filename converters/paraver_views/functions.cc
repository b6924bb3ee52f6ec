// SPDX-License-Identifier: Apache-2.0
// Combinations, compositions, operations, and what passes the filter.
#include "converters/paraver_views/functions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tasklens {
namespace {

bool Names(const ViewFunction& function, double value) {
  return !function.parameters.empty() &&
         std::find(function.parameters[0].begin(), function.parameters[0].end(), value) !=
             function.parameters[0].end();
}

double Sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The value that all have, if it is one of the parameters.
double Common(std::span<const double> values, const ViewFunction& function) {
  if (!Names(function, values[0])) return 0;
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
    {"Adding", [](Values values, Chosen) { return Sum(values); }},
    {"Adding Sign", [](Values values, Chosen) { return Sum(values) > 0 ? 1.0 : 0.0; }},
    {"AddingSign", [](Values values, Chosen) { return Sum(values) > 0 ? 1.0 : 0.0; }},
    {"Average",
     [](Values values, Chosen) { return Sum(values) / static_cast<double>(values.size()); }},
    {"Maximum",
     [](Values values, Chosen) { return *std::max_element(values.begin(), values.end()); }},
    {"Minimum",
     [](Values values, Chosen) { return *std::min_element(values.begin(), values.end()); }},
    {"Activity", &Common},
    {"In Activity", [](Values values, Chosen f) { return Common(values, f) != 0 ? 1.0 : 0.0; }},
    {"Mode", [](Values values, Chosen) { return MostFrequent(values); }},
    {"Thread i", [](Values values, Chosen f) { return At(values, f.First(0, 0)); }},
    {"Add Tasks",
     [](Values values, Chosen f) {
       double sum = 0;
       if (!f.parameters.empty())
         for (const double index : f.parameters[0]) sum += At(values, index);
       return sum;
     }},
};

// --- Compositions ---

double Remainder(double value, Chosen f) {
  const double divider = f.First(0, 1);
  return std::fmod(value, divider == 0 ? 1 : divider);
}
// Parameters of ranges: the largest, the smallest.
bool InRange(double value, Chosen f) { return value <= f.First(0, 0) && value >= f.First(1, 0); }
bool InOpenRange(double value, Chosen f) { return value < f.First(0, 0) && value >= f.First(1, 0); }

// A value other than 0 goes onto a stack, 0 takes one off: f(stack) is what there is then.
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
  double last = 0, change = 0;
  for (Step& step : steps.steps()) {
    if (step.value != last) change = step.value - last;
    last = step.value;
    step.value = change;
  }
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

// f(begin, end) of each burst.
template <class F>
void OverTimes(Steps& steps, int64_t end, F f) {
  for (size_t i = 0; i < steps.steps().size(); ++i) {
    Step& step = steps.steps()[i];
    step.value = f(static_cast<double>(step.begin), static_cast<double>(steps.EndOf(i, end)));
  }
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
    {"Div", [](double v, Chosen f) { return f.First(0, 1) == 0 ? 0 : v / f.First(0, 1); }, nullptr},
    {"Prod", [](double v, Chosen f) { return v * f.First(0, 1); }, nullptr},
    {"Add", [](double v, Chosen f) { return v + f.First(0, 0); }, nullptr},
    {"Subs", [](double v, Chosen f) { return v - f.First(0, 0); }, nullptr},
    {"Select Range", [](double v, Chosen f) { return InRange(v, f) ? v : 0; }, nullptr},
    {"Select Range [)", [](double v, Chosen f) { return InOpenRange(v, f) ? v : 0; }, nullptr},
    {"Is In Range", [](double v, Chosen f) { return InRange(v, f) ? 1.0 : 0.0; }, nullptr},
    {"Is In Range [)", [](double v, Chosen f) { return InOpenRange(v, f) ? 1.0 : 0.0; }, nullptr},
    {"Is Equal", [](double v, Chosen f) { return Names(f, v) ? v : 0; }, nullptr},
    {"Is Equal (Sign)", [](double v, Chosen f) { return Names(f, v) ? 1.0 : 0.0; }, nullptr},
    {"Floor", [](double v, Chosen) { return std::floor(v); }, nullptr},
    {"Ceil", [](double v, Chosen) { return std::ceil(v); }, nullptr},
    {"Round", [](double v, Chosen) { return std::rint(v); }, nullptr},
    {"Abs", [](double v, Chosen) { return std::abs(v); }, nullptr},
    {"cos", [](double v, Chosen) { return std::cos(v); }, nullptr},
    {"Translate", &Translated, nullptr},
    {"Stacked Val", nullptr, [](Steps& steps, int64_t, Chosen, double) { OverStack(steps, &Top); }},
    {"In Stacked Val", nullptr,
     [](Steps& steps, int64_t, Chosen f, double) {
       OverStack(steps, [&](const std::vector<double>& stack) {
         return Names(f, Top(stack)) ? Top(stack) : 0;
       });
     }},
    {"Nesting level", nullptr,
     [](Steps& steps, int64_t, Chosen, double) {
       OverStack(steps, [](const std::vector<double>& stack) {
         return static_cast<double>(stack.size());
       });
     }},
    {"Enumerate", nullptr, &Enumerate},
    {"Delta", nullptr, &Delta},
    {"Join Bursts", nullptr, &JoinBursts},
    {"Burst Time", nullptr,
     [](Steps& steps, int64_t end, Chosen, double scale) {
       OverTimes(steps, end, [&](double begin, double until) { return (until - begin) * scale; });
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

constexpr Operation kOperations[] = {
    {"add", [](double a, double b) { return a + b; }},
    {"substract", [](double a, double b) { return a - b; }},  // as Paraver spells it
    {"product", [](double a, double b) { return a * b; }},
    {"divide", [](double a, double b) { return b == 0 ? 0 : a / b; }},
    {"maximum", [](double a, double b) { return std::max(a, b); }},
    {"minimum", [](double a, double b) { return std::min(a, b); }},
    {"different", [](double a, double b) { return a != b ? 1.0 : 0.0; }},
};

constexpr CpuFunction kCpuFunctions[] = {
    {"Active Thd", false, false},
    {"Active Thd Sign", false, true},
    {"Active Thd Val", true, false},
    {"Active Thd Val Sign", true, true},
};

}  // namespace

std::span<const Combination> Combinations() { return kCombinations; }
std::span<const Composition> Compositions() { return kCompositions; }
std::span<const Operation> Operations() { return kOperations; }
std::span<const CpuFunction> CpuFunctions() { return kCpuFunctions; }

bool RecordFilter::Condition::Holds(double value) const {
  if (kind == "All") return true;
  if (kind == "None") return false;
  const bool among = std::find(values.begin(), values.end(), value) != values.end();
  if (kind == "=") return among;
  if (kind == "!=") return !among;
  if (values.empty()) return false;
  if (kind == ">") return value > values[0];
  if (kind == "<") return value < values[0];
  return values.size() > 1 && value >= values[0] && value <= values[1];  // "[x,y]"
}

Result<RecordFilter> RecordFilter::Of(const ViewWindow& window) {
  constexpr std::string_view kAllOrNone[] = {"All", "None"};
  constexpr std::string_view kConditions[] = {"All", "None", "=", "!=", ">", "<", "[x,y]"};
  RecordFilter filter;
  Condition objects[3];
  const struct {
    std::string_view field;
    std::span<const std::string_view> known;
    Condition& condition;
  } rows[] = {
      {"evt_type", kConditions, filter.type_}, {"evt_value", kConditions, filter.value_},
      {"tag_msg", kConditions, filter.tag_},   {"size_msg", kConditions, filter.size_},
      {"from_obj", kAllOrNone, objects[0]},    {"to_obj", kAllOrNone, objects[1]},
      {"bw_msg", kAllOrNone, objects[2]},
  };
  for (const auto& row : rows) {
    const ViewFunction function = window.Function(row.field, "All");
    if (std::find(row.known.begin(), row.known.end(), function.name) == row.known.end()) {
      std::string message = "line " + std::to_string(function.line) + ": the filter " +
                            std::string(row.field) + " has no condition '" + function.name +
                            "'; it has";
      for (const std::string_view known : row.known) message += ' ' + std::string(known);
      return Status(ErrorCode::kUnsupported, std::move(message));
    }
    row.condition.kind = function.name;
    if (!function.parameters.empty()) row.condition.values = function.parameters[0];
  }
  for (const Condition& object : objects)
    filter.no_communications_ = filter.no_communications_ || object.kind == "None";
  return filter;
}

bool RecordFilter::Passes(const ParaverRecords::Event& event) const {
  return type_.Holds(event.type) && value_.Holds(static_cast<double>(event.value));
}
bool RecordFilter::Passes(const ParaverRecords::Communication& communication) const {
  return !no_communications_ && tag_.Holds(static_cast<double>(communication.tag)) &&
         size_.Holds(static_cast<double>(communication.size));
}

Steps CpuOfThread(const ParaverRecords& records, uint32_t thread) {
  Steps steps;
  const auto& states = records.threads[thread].states;
  for (size_t i = 0; i < states.size(); ++i) {
    steps.Put(states[i].begin, states[i].cpu);
    const int64_t next = i + 1 < states.size() ? states[i + 1].begin : records.end;
    if (states[i].end < next) steps.Put(states[i].end, 0);
  }
  return steps;
}

}  // namespace tasklens
