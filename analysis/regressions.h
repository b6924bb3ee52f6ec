// SPDX-License-Identifier: Apache-2.0
// Decides whether a run became so much longer that a pipeline should reject it.
//
// One run against one: a group of tasks is rejected if its tasks are longer beyond noise (the
// Mann-Whitney test of compare.h) and the typical task by more than the threshold, in percent of
// the median before; or if the additional time in more tasks and longer ones, beyond noise, exceeds
// the threshold in percent of its time before. The sum of all groups is judged likewise. Outliers
// decide none of this, because their number depends on the machine as often as on the program: the
// only quantile used is the median. If a group has tasks of several kinds, the most frequent kind
// therefore decides: compare by codelet. Groups too small to have a noise (compare.h) are named,
// not judged. A span has no noise of its own: it is rejected if at least half of its growth is
// found, beyond noise, in tasks or in the workers' time between them (pauses, scheduling); or if no
// noise can explain it: it grew by more than the threshold, by more than three times the spread of
// tasks within these runs (SpreadWithin()), and by more than kHiccupNs, which a busy machine may
// take at once. If all tasks of a group are equally long, as on a simulated machine, both limits on
// noise are zero. Otherwise it is named.
//
// Several runs of one side: each run gives one value (its span, its total, the median of a group),
// a side the median of its runs. The noise is the variation between runs of one program, of the
// side where it is larger: the distance between the extremes of fewer than five runs; from five on,
// where a disturbed run can be recognised, three times the median distance from the side's median.
// A value that grew by more than the threshold and by more than the noise is rejected.
//
// Pure functions; any thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare.h"
#include "analysis/sites.h"

namespace tasklens {

inline constexpr int64_t kHiccupNs = 20'000'000;

struct Regression {
  std::string what;  // "the median of potrf.c:10"
  double before_ns = 0, after_ns = 0;
  // True if these are the time of one run and its growth beyond noise.
  bool is_beyond_noise = false;
  std::optional<Shift> shift;      // of the typical task
  std::optional<double> noise_ns;  // of several runs

  double Percent() const;
};

struct Judgement {
  std::vector<Regression> regressions;
  std::optional<Regression> span;     // the span, if it grew too much without an explanation
  std::vector<std::string> unjudged;  // groups without a noise
};

// `changes` are between the two runs, `states` by StatisticsBy::kState.
Judgement JudgePair(const RunSummary& before, const RunSummary& after,
                    std::span<const Change> changes, StatisticsBy by,
                    std::span<const Change> states, double threshold_percent);

// The time of a run, or of one group of tasks in it.
struct RunFigure {
  std::vector<double> before_ns, after_ns;  // by run; a run without the group is left out
  // The medians of the sides, and the larger noise of the two.
  double BeforeNs() const;
  double AfterNs() const;
  double NoiseNs() const;
};
using RunFigures = std::map<std::string, RunFigure>;  // by name: "the span"

// Adds the times of `run`. `changes`: from the first run before to this one.
enum class Side : uint8_t { kBefore, kAfter };
void AddRun(RunFigures& figures, Side side, const RunSummary& run, std::span<const Change> changes,
            StatisticsBy by);

Judgement JudgeRuns(const RunFigures& figures, double threshold_percent);

}  // namespace tasklens
