// SPDX-License-Identifier: Apache-2.0
// Messages about summaries, statistics, comparisons and legends.
#include "analysis/statistics.h"

#include <algorithm>

#include "analysis/colours.h"
#include "analysis/compare.h"
#include "analysis/run_clock.h"
#include "analysis/sites.h"
#include "server/answers/answers.h"
#include "server/answers/whole_ns.h"

namespace tasklens {
namespace {

constexpr size_t kMostNames = 20;  // names of tasks shown for one line

messages::Durations DurationsMessage(const DurationSummary& durations) {
  const auto& q = durations.quantile_ns;
  return {.count = durations.count,
          .total_ns = durations.total_ns,
          .mean_ns = WholeNs(durations.mean_ns),
          .stddev_ns = WholeNs(durations.stddev_ns),
          .min_ns = durations.min_ns,
          .median_ns = durations.median_ns(),
          .max_ns = durations.max_ns,
          .quantiles_ns = {q[0], q[1], q[2], q[3], q[4]}};
}

template <class AnyChange>
messages::ChangeParts PartsMessage(const AnyChange& change, double beyond_noise_ns,
                                   double typical_growth_ns) {
  const int64_t change_ns = WholeNs(change.change_ns()), by_count_ns = WholeNs(change.by_count_ns);
  return {.change_ns = change_ns,
          .by_count_ns = by_count_ns,
          .by_duration_ns = change_ns - by_count_ns,  // so that the parts add up to the change
          .by_count_error_ns = WholeNs(change.by_count_error_ns),
          .by_duration_error_ns = WholeNs(change.by_duration_error_ns),
          .beyond_noise_ns = WholeNs(beyond_noise_ns),
          .typical_growth_ns = WholeNs(typical_growth_ns)};
}

messages::Change ChangeMessage(const Change& change) {
  messages::Change message{
      PartsMessage(change, change.beyond_noise_ns(), change.typical_growth_ns())};
  message.label = change.label;
  message.label_before = change.label_before;
  message.verdict = VerdictName(change.verdict);
  message.count_verdict = VerdictName(change.count_verdict);
  message.duration_verdict = VerdictName(change.duration_verdict);
  message.standard_error_ns = WholeNs(change.standard_error_ns);
  message.shift_ns = change.shift.ns;
  message.shift_low_ns = change.shift.low_ns;
  message.shift_high_ns = change.shift.high_ns;
  message.longer_share = change.longer_share;
  message.p = change.p;
  message.count_p = change.count_p;
  message.before = DurationsMessage(change.before);
  message.after = DurationsMessage(change.after);
  return message;
}

messages::TotalChange TotalMessage(std::span<const Change> changes) {
  const TotalChange total = SumOf(changes);
  messages::TotalChange message{
      PartsMessage(total, total.beyond_noise_ns, total.typical_growth_ns)};
  message.count_before = total.count_before;
  message.count_after = total.count_after;
  message.before_ns = total.before_ns;
  message.after_ns = total.after_ns;
  return message;
}

}  // namespace

messages::Summary SummaryMessage(const TraceModel& model, const RunSummary& run) {
  return {.tasks = run.tasks,
          .ran = run.ran,
          .submissions = run.submissions,
          .executions = run.executions,
          .dependencies = run.dependencies,
          .workers = run.workers,
          .ranks = run.ranks,
          .span_ns = run.span_ns,
          .busy_ns = run.busy_ns,
          .efficiency = run.ran > 0 ? std::optional(run.Efficiency()) : std::nullopt,
          .zero_ns = RunClock(model).zero_ns()};
}

messages::OverviewSite OverviewSiteMessage(const TraceModel& model, const SiteCost& cost,
                                           int64_t busy_ns) {
  messages::OverviewSite row{.site = cost.site,
                             .file = std::string(model.str(model.sites.file[cost.site])),
                             .line = model.sites.line[cost.site],
                             .function = std::string(model.str(model.sites.function[cost.site])),
                             .tasks = cost.tasks,
                             .ran = cost.ran,
                             .runs = cost.runs,
                             .total_ns = cost.total_ns,
                             .mean_ns = cost.MeanNs()};
  for (const StringId name : cost.names) {
    if (row.names.size() == kMostNames) break;
    row.names.emplace_back(model.str(name).empty() ? "unknown" : model.str(name));
  }
  if (busy_ns > 0) row.share = static_cast<double>(cost.total_ns) / static_cast<double>(busy_ns);
  return row;
}

messages::Statistics StatisticsMessage(const TraceModel& model, StatisticsBy by,
                                       const StatisticsRow& row) {
  messages::Statistics group{DurationsMessage(row.durations)};
  group.total_ns = row.total_ns;  // only the time within the stretch, if there is one
  group.label = StatisticsLabel(model, by, row.key);
  group.tasks = row.tasks;
  for (const HistogramBar& bar : row.durations.histogram)
    group.histogram.push_back({.low_ns = bar.low_ns, .high_ns = bar.high_ns, .count = bar.count});
  if (row.flops_ns > 0) group.gflops = row.GFlops();
  if (row.estimates.count > 0)
    group.estimates = {.count = row.estimates.count,
                       .measured_over_estimated = row.estimates.Bias(),
                       .mean_relative_error = row.estimates.mean_error};
  return group;
}

template <class Answer>
void SetGroups(const TraceModel& model, StatisticsBy by, std::span<const StatisticsRow> rows,
               size_t limit, const std::optional<Span>& stretch, Answer& answer) {
  answer.by = StatisticsByName(by);
  answer.count = rows.size();
  for (const StatisticsRow& row : rows.first(std::min(rows.size(), limit)))
    answer.groups.push_back(StatisticsMessage(model, by, row));
  if (!stretch) return;
  answer.from_ns = stretch->begin_ns;
  answer.to_ns = stretch->end_ns;
}
template void SetGroups(const TraceModel&, StatisticsBy, std::span<const StatisticsRow>, size_t,
                        const std::optional<Span>&, messages::Groups&);
template void SetGroups(const TraceModel&, StatisticsBy, std::span<const StatisticsRow>, size_t,
                        const std::optional<Span>&, messages::PrintedStats&);

messages::Comparison ComparisonMessage(StatisticsBy by, std::span<const Change> changes,
                                       size_t limit) {
  messages::Comparison comparison{.by = std::string(StatisticsByName(by)), .count = changes.size()};
  // The time of a state includes states nested in it, so their sum would count time twice.
  if (by != StatisticsBy::kState) comparison.total = TotalMessage(changes);
  for (const Change& change : changes.first(std::min(changes.size(), limit)))
    comparison.changes.push_back(ChangeMessage(change));
  return comparison;
}

messages::Legend LegendMessage(const Legend& legend) {
  messages::Legend message{.by = std::string(legend.by), .unit = std::string(legend.unit)};
  for (const LegendEntry& entry : legend.entries) {
    messages::LegendEntry& row = message.entries.emplace_back();
    row.label = entry.label;
    row.rgb = entry.rgb;
    row.stripes = entry.stripes;
    if (!entry.has_range()) continue;
    row.low = entry.low;
    row.high = entry.high;
  }
  return message;
}

}  // namespace tasklens
