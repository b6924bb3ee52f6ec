// SPDX-License-Identifier: Apache-2.0
// Durations of tasks and states in groups: number, sum, spread, speed, and accuracy of estimates.
//
// Quantiles are values of the sample (nearest rank: the smallest value with at least the share q of
// all values at or below it), except the median of an even number of values, which is the mean of
// the two in the middle. The standard deviation is that of the sample (n - 1).
//
// A task counts as often as it ran: more than once if it was submitted again; a parallel task
// counts once, but by kWorker for each of its workers.
//
// Tasks are those of IsUserTask() in sites.h, as in the summary of a run. A state counts only while
// no other state lies within it, on all rows of the timeline, so that the times of all states add
// up to the time of the rows.
//
// For a stretch of the run, the tasks and states that overlap it count, with their time within it.
// Their durations are whole: the table shows the use of the stretch, and the lengths of its tasks,
// even if the edges of the stretch cut them.
//
// Pure functions; any thread. O(n log n) time, 32 bytes per task or state while they run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "analysis/task_times.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// One bar: durations in [low_ns, high_ns); the last bar includes its upper end.
struct HistogramBar {
  int64_t low_ns, high_ns;
  uint64_t count;
};

inline constexpr std::array<double, 5> kQuantiles = {0.05, 0.25, 0.5, 0.75, 0.95};
inline constexpr size_t kMedian = 2;  // of kQuantiles

struct DurationSummary {
  uint64_t count = 0;
  int64_t total_ns = 0;
  double mean_ns = 0, stddev_ns = 0;
  int64_t min_ns = 0, max_ns = 0;
  std::array<int64_t, kQuantiles.size()> quantile_ns{};  // as kQuantiles
  // At most 16 bars of equal ratio from min to max, so that both short and long tasks are visible.
  std::vector<HistogramBar> histogram;

  int64_t median_ns() const { return quantile_ns[kMedian]; }
};
// Sorts `durations_ns`. REQUIRES: none is negative.
DurationSummary Summarize(std::vector<int64_t>& durations_ns);

// Durations compared with the perfmodel's estimates for the workers that ran the tasks.
struct EstimateSummary {
  uint64_t count = 0;      // tasks with a usable estimate
  double measured_ns = 0;  // of these tasks
  double estimated_ns = 0;
  double mean_error = 0;  // mean of |measured - estimated| / measured
  // The factor by which estimates are wrong, in either direction: the geometric mean of larger over
  // smaller. (mean_error is below 1 however short an estimate is.)
  double mean_factor = 0;
  // Above 1: tasks took longer than estimated.
  double Bias() const { return estimated_ns > 0 ? measured_ns / estimated_ns : 0; }
};

// kSize: by codelet, size of the data in bytes, and footprint if the trace has it: the key of a
// perfmodel's entries.
enum class StatisticsBy : uint8_t { kCodelet, kSite, kWorker, kKind, kState, kSize };
std::string_view StatisticsByName(StatisticsBy by);  // "codelet", "site", "worker", ...
std::optional<StatisticsBy> ParseStatisticsBy(std::string_view name);

struct StatisticsRow {
  // kCodelet: StringId of the name; kSite, kWorker: row of the table, kNone for tasks without;
  // kKind: WorkerArch; kState: StateKind; kSize: the first task of the group.
  uint32_t key = 0;
  uint64_t tasks = 0;         // for a whole run including those that did not run; kState: states
  int64_t total_ns = 0;       // their time, within the stretch if one is given
  DurationSummary durations;  // of each run, whole
  double flops = 0;           // of those that ran and have flops
  int64_t flops_ns = 0;       // their time
  EstimateSummary estimates;

  // For the tasks with known flops; 0 if there are none.
  double GFlops() const { return flops_ns > 0 ? flops / static_cast<double>(flops_ns) : 0; }
};

// Returns the groups, the one with the most time first, equals by key. `internal`: include the
// runtime's own tasks. `stretch`: only this part; default: the whole run.
std::vector<StatisticsRow> Statistics(const TraceModel& model, StatisticsBy by, Stop stop = nullptr,
                                      bool internal = false,
                                      const std::optional<Span>& stretch = std::nullopt);

// The durations behind Statistics(); groups with the same label are joined, sorted by label.
struct LabelledDurations {
  std::string label;
  std::vector<int64_t> durations_ns;  // unsorted
};
std::vector<LabelledDurations> DurationsBy(const TraceModel& model, StatisticsBy by,
                                           Stop stop = nullptr);

// "gemm", "chol.c:102", "CPU 0" ("1: CPU 0" where there are several ranks), "CUDA", "Callback",
// "gemm, 65,536 B, 8a3f12c4".
std::string StatisticsLabel(const TraceModel& model, StatisticsBy by, uint32_t key);

// The last of these; `footprint` in hexadecimal as in files of perfmodels, nullopt: unknown.
std::string SizeLabel(std::string_view codelet, uint64_t size_bytes,
                      std::optional<uint32_t> footprint);

}  // namespace tasklens
