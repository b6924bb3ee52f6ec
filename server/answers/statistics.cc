// SPDX-License-Identifier: Apache-2.0
// Statistics and comparisons as JSON.
#include "server/answers/answers.h"
#include "server/answers/common.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

namespace {

Json HistogramAnswer(const DurationSummary& durations) {
  Json bars = Json::array();
  for (const HistogramBar& bar : durations.histogram)
    bars.push_back({{"low_ns", bar.low_ns}, {"high_ns", bar.high_ns}, {"count", bar.count}});
  return bars;
}

// So that the parts add up to the change.
template <class AnyChange>
int64_t RestNs(const AnyChange& change) {
  return WholeNs(change.change_ns()) - WholeNs(change.by_count_ns);
}

}  // namespace

Json SummaryAnswer(const RunSummary& run) {
  return {{"tasks", run.tasks},
          {"ran", run.ran},
          {"submissions", run.submissions},
          {"executions", run.executions},
          {"dependencies", run.dependencies},
          {"workers", run.workers},
          {"ranks", run.ranks},
          {"span_ns", run.span_ns},
          {"busy_ns", run.busy_ns},
          {"efficiency", run.ran > 0 ? Json(run.Efficiency()) : Json()}};
}

Json StatisticsAnswer(const TraceModel& model, StatisticsBy by,
                      std::span<const StatisticsRow> rows) {
  Json groups = Json::array();
  for (const StatisticsRow& row : rows) {
    Json group{{"label", StatisticsLabel(model, by, row.key)}, {"tasks", row.tasks}};
    group.update(DurationsAnswer(row.durations));
    group["total_ns"] = row.total_ns;
    group["histogram"] = HistogramAnswer(row.durations);
    group["gflops"] = row.flops_ns > 0 ? Json(row.GFlops()) : Json();
    group["estimates"] = row.estimates.count == 0
                             ? Json()
                             : Json{{"count", row.estimates.count},
                                    {"measured_over_estimated", row.estimates.Bias()},
                                    {"mean_relative_error", row.estimates.mean_error}};
    groups.push_back(std::move(group));
  }
  return {{"by", StatisticsByName(by)}, {"groups", std::move(groups)}};
}

Json ChangesAnswer(std::span<const Change> changes) {
  Json rows = Json::array();
  for (const Change& change : changes)
    rows.push_back({{"label", change.label},
                    {"label_before", change.label_before},
                    {"verdict", VerdictName(change.verdict)},
                    {"change_ns", WholeNs(change.change_ns())},
                    {"by_count_ns", WholeNs(change.by_count_ns)},
                    {"by_duration_ns", RestNs(change)},
                    {"standard_error_ns", WholeNs(change.standard_error_ns)},
                    {"shift_ns", change.shift.ns},
                    {"shift_low_ns", change.shift.low_ns},
                    {"shift_high_ns", change.shift.high_ns},
                    {"longer_share", change.longer_share},
                    {"p", change.p},
                    {"duration_verdict", VerdictName(change.duration_verdict)},
                    {"count_verdict", VerdictName(change.count_verdict)},
                    {"count_p", change.count_p},
                    {"by_count_error_ns", WholeNs(change.by_count_error_ns)},
                    {"by_duration_error_ns", WholeNs(change.by_duration_error_ns)},
                    {"beyond_noise_ns", WholeNs(change.beyond_noise_ns())},
                    {"typical_growth_ns", WholeNs(change.typical_growth_ns())},
                    {"before", DurationsAnswer(change.before)},
                    {"after", DurationsAnswer(change.after)}});
  return rows;
}

Json TotalChangeAnswer(StatisticsBy by, std::span<const Change> changes) {
  if (by == StatisticsBy::kState) return nullptr;
  const TotalChange total = SumOf(changes);
  return {{"count_before", total.count_before},
          {"count_after", total.count_after},
          {"before_ns", total.before_ns},
          {"after_ns", total.after_ns},
          {"change_ns", WholeNs(total.change_ns())},
          {"by_count_ns", WholeNs(total.by_count_ns)},
          {"by_duration_ns", RestNs(total)},
          {"by_count_error_ns", WholeNs(total.by_count_error_ns)},
          {"by_duration_error_ns", WholeNs(total.by_duration_error_ns)},
          {"beyond_noise_ns", WholeNs(total.beyond_noise_ns)},
          {"typical_growth_ns", WholeNs(total.typical_growth_ns)}};
}

}  // namespace tasklens
