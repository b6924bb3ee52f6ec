// SPDX-License-Identifier: Apache-2.0
// One pass to group, then one sort per group.
#include "analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "analysis/execution_order.h"
#include "analysis/sites.h"
#include "analysis/sum.h"
#include "analysis/task_estimates.h"
#include "analysis/task_stretches.h"
#include "analysis/text.h"
#include "analysis/workers_of_tasks.h"
#include "trace/model/executions.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

constexpr std::string_view kNames[] = {"codelet", "site", "worker", "kind", "state", "size"};
constexpr size_t kBars = 16;
constexpr uint32_t kNamedStates = static_cast<uint32_t>(StateKind::kCount);

std::vector<HistogramBar> Histogram(const std::vector<int64_t>& sorted_ns) {
  const int64_t low_ns = sorted_ns.front(), high_ns = sorted_ns.back();
  if (low_ns == high_ns) return {{low_ns, high_ns, sorted_ns.size()}};
  // Ratios need a positive beginning.
  const double begin = std::max<double>(1, static_cast<double>(low_ns));
  const double ratio = std::max(1., static_cast<double>(high_ns) / begin);
  std::vector<HistogramBar> bars;
  auto from = sorted_ns.begin();
  for (size_t bar = 1; bar <= kBars; ++bar) {
    const int64_t bar_low_ns = bars.empty() ? low_ns : bars.back().high_ns;
    const double edge = begin * std::pow(ratio, static_cast<double>(bar) / kBars);
    const bool last = bar == kBars || edge >= static_cast<double>(high_ns);
    const int64_t edge_ns = last ? high_ns : static_cast<int64_t>(edge);
    if (!last && edge_ns <= bar_low_ns) continue;  // less than a nanosecond wide
    const auto to = last ? sorted_ns.end() : std::lower_bound(from, sorted_ns.end(), edge_ns);
    bars.push_back({bar_low_ns, edge_ns, static_cast<uint64_t>(to - from)});
    from = to;
    if (last) break;
  }
  return bars;
}

// A row for each key, created at its first mention.
class Rows {
 public:
  uint32_t Of(uint32_t key) {
    const auto [it, is_new] = index_.try_emplace(key, static_cast<uint32_t>(rows_.size()));
    if (is_new) rows_.emplace_back().key = key;
    return it->second;
  }
  StatisticsRow& operator[](uint32_t row) { return rows_[row]; }

  // `of_value[i]`: the row of duration i.
  std::vector<StatisticsRow> Finish(const std::vector<uint32_t>& of_value,
                                    const std::vector<int64_t>& values_ns) && {
    std::vector<std::vector<int64_t>> durations_ns(rows_.size());
    for (size_t i = 0; i < of_value.size(); ++i) durations_ns[of_value[i]].push_back(values_ns[i]);
    for (size_t row = 0; row < rows_.size(); ++row)
      rows_[row].durations = Summarize(durations_ns[row]);
    std::sort(rows_.begin(), rows_.end(), [](const StatisticsRow& a, const StatisticsRow& b) {
      return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.key < b.key;
    });
    return std::move(rows_);
  }

 private:
  std::unordered_map<uint32_t, uint32_t> index_;
  std::vector<StatisticsRow> rows_;
};

// The footprint of tasks without data is 0, which has no meaning.
std::optional<uint32_t> FootprintOf(const TaskTable& tasks, uint32_t task) {
  if (!tasks.has_footprint[task] || tasks.footprint[task] == 0) return std::nullopt;
  return tasks.footprint[task];
}

// Returns for each task the first task with its codelet, size and footprint; empty except for
// kSize.
std::vector<uint32_t> FirstOfSize(const TraceModel& model, StatisticsBy by) {
  const TaskTable& tasks = model.tasks;
  std::vector<uint32_t> first;
  if (by != StatisticsBy::kSize) return first;
  std::map<std::tuple<StringId, uint64_t, std::optional<uint32_t>>, uint32_t> known;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    first.push_back(
        known
            .try_emplace({tasks.name[task], tasks.size_bytes[task], FootprintOf(tasks, task)}, task)
            .first->second);
  return first;
}

uint32_t KeyOf(const TraceModel& model, StatisticsBy by, const std::vector<uint32_t>& first_of_size,
               uint32_t task, uint32_t worker) {
  switch (by) {
    case StatisticsBy::kSize: return first_of_size[task];
    case StatisticsBy::kSite: return model.tasks.site[task];
    case StatisticsBy::kWorker: return worker;
    case StatisticsBy::kKind:
      return static_cast<uint32_t>(worker < model.workers.size() ? model.workers.arch[worker]
                                                                 : WorkerArch::kUnknown);
    default: return model.tasks.name[task];
  }
}

void AddEstimate(EstimateSummary& summary, int64_t length_ns, double estimate_ns) {
  if (std::isnan(estimate_ns) || length_ns == 0) return;
  const auto measured_ns = static_cast<double>(length_ns);
  ++summary.count;
  summary.measured_ns += measured_ns;
  summary.estimated_ns += estimate_ns;
  summary.mean_error += std::fabs(measured_ns - estimate_ns) / measured_ns;
  summary.mean_factor += std::fabs(std::log(measured_ns / estimate_ns));
}

// Returns the part of [start_ns, end_ns) within the stretch, nothing if they do not overlap;
// without a stretch the whole length.
std::optional<int64_t> NsWithin(const std::optional<Span>& stretch, int64_t start_ns,
                                int64_t end_ns) {
  if (!stretch) return end_ns - start_ns;
  const bool is_before = end_ns <= stretch->begin_ns && start_ns < stretch->begin_ns;
  if (is_before || start_ns >= stretch->end_ns) return std::nullopt;
  return std::min(end_ns, stretch->end_ns) - std::max(start_ns, stretch->begin_ns);
}

// Returns for each state its time within the stretch without the states pushed onto it, by row.
std::vector<int64_t> OwnNsOfStates(const StateTable& states, const std::optional<Span>& stretch) {
  std::vector<int64_t> own_ns(states.size());
  std::vector<size_t> around;  // by depth: the latest state
  for (size_t state = 0; state < states.size(); ++state) {
    const int64_t ns = NsWithin(stretch, states.start_ns[state], states.end_ns[state]).value_or(0);
    own_ns[state] = ns;
    const size_t depth = states.depth[state];
    around.resize(std::max(around.size(), depth + 1));
    around[depth] = state;
    if (depth == 0) continue;
    int64_t& outer_ns = own_ns[around[depth - 1]];
    outer_ns = std::max<int64_t>(outer_ns - ns, 0);
  }
  return own_ns;
}

// The kind of the state or, above all kinds, its name if its file gave it one.
uint32_t KeyOfState(const StateTable& states, size_t state) {
  const StringId name = states.name[state];
  return name != 0 ? kNamedStates + name : static_cast<uint32_t>(states.kind[state]);
}

// The contribution of a task, of a worker's part of it, or of a state.
struct Counted {
  int64_t length_ns = kNever;  // kNever: a task that did not run
  int64_t within_ns = 0;       // time in the stretch; kOutside: no overlap
  bool is_again = false;       // another run of a task that was counted already
};
constexpr int64_t kOutside = -1;

// Returns the time that `task` ran within the stretch.
int64_t RunNsWithin(const TraceModel& model, const std::optional<Span>& stretch, uint32_t task) {
  if (!stretch) return model.tasks.RunNs(task);
  int64_t sum_ns = kOutside;
  ForEachStretch(model, task, [&](uint32_t, int64_t start_ns, int64_t end_ns) {
    if (const auto within_ns = NsWithin(stretch, start_ns, end_ns))
      sum_ns = std::max<int64_t>(sum_ns, 0) + *within_ns;
  });
  return sum_ns;
}

// Calls visit(key, task, Counted) for each state or task that Statistics() counts; task is kNone
// for states and for a worker's part of a task whose row has another worker.
template <class Visit>
void ForEachCounted(const TraceModel& model, StatisticsBy by, Stop stop, bool internal,
                    const std::optional<Span>& stretch, const Visit& visit) {
  const StateTable& states = model.states;
  const TaskTable& tasks = model.tasks;
  if (by == StatisticsBy::kState) {
    const std::vector<int64_t> own_ns = OwnNsOfStates(states, std::nullopt);
    const std::vector<int64_t> of_stretch =
        stretch ? OwnNsOfStates(states, stretch) : std::vector<int64_t>();
    const std::vector<int64_t>& within_ns = stretch ? of_stretch : own_ns;
    for (size_t state = 0; state < states.size(); ++state) {
      if (Stopped(stop, state)) return;
      if (states.kind[state] != StateKind::kNone &&
          NsWithin(stretch, states.start_ns[state], states.end_ns[state]))
        visit(KeyOfState(states, state), kNone, Counted{own_ns[state], within_ns[state]});
    }
    return;
  }
  const std::vector<uint32_t> first_of_size = FirstOfSize(model, by);
  // For a task that paused, its parts; for a parallel task, the parts of the worker in its row.
  std::unordered_map<uint32_t, Counted> own_parts;
  for (const Participation& part : FirstWorkers(model)) {
    const bool paused =
        tasks.last_worker[part.task] == part.worker && !HasStretches(model, part.task);
    if (by != StatisticsBy::kWorker && !paused) continue;
    const auto within_ns = NsWithin(stretch, part.start_ns, part.start_ns + part.length_ns);
    Counted& own = own_parts.try_emplace(part.task, Counted{0, kOutside}).first->second;
    own.length_ns += part.length_ns;
    if (within_ns) own.within_ns = std::max<int64_t>(own.within_ns, 0) + *within_ns;
  }
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (Stopped(stop, task)) return;
    if (!internal && !IsUserTask(model, task)) continue;
    Counted counted;
    if (Completed(tasks, task)) {
      counted = {tasks.RunNs(task), RunNsWithin(model, stretch, task)};
      if (const auto own = own_parts.find(task); own != own_parts.end()) counted = own->second;
    } else if (stretch) {
      continue;
    }
    if (counted.within_ns != kOutside)
      visit(KeyOf(model, by, first_of_size, task, tasks.worker[task]), task, counted);
  }
  if (by != StatisticsBy::kWorker) {
    ForEachEarlierRun(model, [&](const EarlierRun& run) {
      if (!internal && !IsUserTask(model, run.task)) return;
      if (const auto within_ns = NsWithin(stretch, run.start_ns, run.end_ns))
        visit(KeyOf(model, by, first_of_size, run.task, run.worker), run.task,
              Counted{run.end_ns - run.start_ns, *within_ns, /*is_again=*/true});
    });
    return;
  }
  for (const Participation& other : OtherWorkers(model)) {
    if (!internal && !IsUserTask(model, other.task)) continue;
    const auto within_ns = NsWithin(stretch, other.start_ns, other.start_ns + other.length_ns);
    if (within_ns) visit(other.worker, kNone, Counted{other.length_ns, *within_ns});
  }
}

}  // namespace

DurationSummary Summarize(std::vector<int64_t>& durations_ns) {
  DurationSummary summary;
  if (durations_ns.empty()) return summary;
  std::sort(durations_ns.begin(), durations_ns.end());
  summary.count = durations_ns.size();
  const auto count = static_cast<double>(summary.count);
  double sum = 0;
  for (const int64_t ns : durations_ns) {
    AddNs(summary.total_ns, ns);
    sum += static_cast<double>(ns);
  }
  summary.mean_ns = sum / count;
  double squares = 0;
  for (const int64_t ns : durations_ns) {
    const double off = static_cast<double>(ns) - summary.mean_ns;
    squares += off * off;
  }
  if (summary.count > 1) summary.stddev_ns = std::sqrt(squares / (count - 1));
  summary.min_ns = durations_ns.front();
  summary.max_ns = durations_ns.back();
  for (size_t i = 0; i < kQuantiles.size(); ++i) {
    // The subtraction keeps 0.95 * 20, which is not exactly 19 in binary, at rank 19.
    const auto rank = static_cast<size_t>(std::ceil(kQuantiles[i] * count - 1e-9));
    summary.quantile_ns[i] = durations_ns[std::max<size_t>(rank, 1) - 1];
  }
  const size_t middle = durations_ns.size() / 2;
  if (durations_ns.size() % 2 == 0)
    summary.quantile_ns[kMedian] = std::midpoint(durations_ns[middle - 1], durations_ns[middle]);
  summary.histogram = Histogram(durations_ns);
  return summary;
}

std::string_view StatisticsByName(StatisticsBy by) { return kNames[static_cast<size_t>(by)]; }

std::optional<StatisticsBy> ParseStatisticsBy(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<StatisticsBy>(i);
  if (name == "line") return StatisticsBy::kSite;  // the name in all texts
  return std::nullopt;
}

std::vector<StatisticsRow> Statistics(const TraceModel& model, StatisticsBy by, Stop stop,
                                      bool internal, const std::optional<Span>& stretch) {
  const std::vector<double> estimates = EstimatesOfTasks(model);
  Rows rows;
  std::vector<uint32_t> row_of_value;
  std::vector<int64_t> values_ns;
  const auto count = [&](uint32_t key, uint32_t task, const Counted& counted) {
    const uint32_t index = rows.Of(key);
    StatisticsRow& row = rows[index];
    if (!counted.is_again) ++row.tasks;
    if (counted.length_ns == kNever) return;
    row_of_value.push_back(index);
    values_ns.push_back(counted.length_ns);
    AddNs(row.total_ns, counted.within_ns);
    if (task == kNone) return;
    if (const double flops = model.tasks.flops[task]; std::isfinite(flops) && flops > 0) {
      row.flops += flops;
      AddNs(row.flops_ns, counted.length_ns);
    }
    if (!estimates.empty()) AddEstimate(row.estimates, counted.length_ns, estimates[task]);
  };
  ForEachCounted(model, by, stop, internal, stretch, count);
  if (Stopped(stop)) return {};
  std::vector<StatisticsRow> result = std::move(rows).Finish(row_of_value, values_ns);
  for (StatisticsRow& row : result) {
    EstimateSummary& estimates = row.estimates;
    if (estimates.count == 0) continue;
    estimates.mean_error /= static_cast<double>(estimates.count);
    estimates.mean_factor = std::exp(estimates.mean_factor / static_cast<double>(estimates.count));
  }
  return result;
}

std::vector<LabelledDurations> DurationsBy(const TraceModel& model, StatisticsBy by, Stop stop) {
  std::unordered_map<uint32_t, std::vector<int64_t>> by_key;
  ForEachCounted(model, by, stop, false, std::nullopt,
                 [&](uint32_t key, uint32_t, const Counted& counted) {
                   if (counted.length_ns != kNever) by_key[key].push_back(counted.length_ns);
                 });
  std::map<std::string, std::vector<int64_t>> by_label;
  for (const auto& [key, durations_ns] : by_key) {
    std::vector<int64_t>& all_ns = by_label[StatisticsLabel(model, by, key)];
    all_ns.insert(all_ns.end(), durations_ns.begin(), durations_ns.end());
  }
  std::vector<LabelledDurations> groups;
  for (auto& [label, durations_ns] : by_label) groups.push_back({label, std::move(durations_ns)});
  return groups;
}

std::string StatisticsLabel(const TraceModel& model, StatisticsBy by, uint32_t key) {
  switch (by) {
    case StatisticsBy::kCodelet: return key == 0 ? "unknown" : std::string(model.str(key));
    case StatisticsBy::kSite:
      if (key >= model.sites.size()) return "no line";
      return LineOf(model, key);
    case StatisticsBy::kWorker: {
      if (key >= model.workers.size()) return "no worker";
      std::string rank;
      if (model.ranks.size() > 1)
        rank = std::to_string(model.ranks.rank[model.workers.rank_index[key]]) + ": ";
      return rank + std::string(model.str(model.workers.name[key]));
    }
    case StatisticsBy::kKind: return std::string(WorkerArchName(static_cast<WorkerArch>(key)));
    case StatisticsBy::kState:
      if (key >= kNamedStates) return std::string(model.str(key - kNamedStates));
      return std::string(Decl(static_cast<StateKind>(key)).name);
    case StatisticsBy::kSize:
      if (key >= model.tasks.size()) return "no task";
      return SizeLabel(StatisticsLabel(model, StatisticsBy::kCodelet, model.tasks.name[key]),
                       model.tasks.size_bytes[key], FootprintOf(model.tasks, key));
  }
  return "";
}

std::string SizeLabel(std::string_view codelet, uint64_t size_bytes,
                      std::optional<uint32_t> footprint) {
  std::string label = std::string(codelet) + ", " + CountText(size_bytes) + " B";
  if (!footprint) return label;
  constexpr std::string_view kDigits = "0123456789abcdef";
  label += ", ";
  for (int shift = 28; shift >= 0; shift -= 4) label += kDigits[*footprint >> shift & 15];
  return label;
}

}  // namespace tasklens
