// SPDX-License-Identifier: Apache-2.0
// Statistics, comparisons, and what colours mean.
#include "analysis/statistics.h"

#include <algorithm>

#include "analysis/colours.h"
#include "analysis/compare.h"
#include "server/answers/answers.h"
#include "server/answers/whole_ns.h"

namespace tasklens {
namespace {

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

messages::Statistics StatisticsMessage(const TraceModel& model, StatisticsBy by,
                                       const StatisticsRow& row) {
  messages::Statistics group{DurationsMessage(row.durations)};
  group.total_ns = row.total_ns;  // of a stretch, within it
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

messages::Comparison ComparisonMessage(StatisticsBy by, std::span<const Change> changes,
                                       size_t limit) {
  messages::Comparison comparison{.by = std::string(StatisticsByName(by)), .count = changes.size()};
  // A state counts with what is nested in it.
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
