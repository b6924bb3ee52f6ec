// SPDX-License-Identifier: Apache-2.0
// What became so much longer between runs that a pipeline should refuse it.
//
// One run against one: a group of tasks is refused when its tasks are longer beyond noise (the
// Mann-Whitney test of compare.h) and the typical task by more than the threshold, in percent of
// the median before; or when what it takes in more tasks and longer ones, beyond noise, is more
// than the threshold of what it took. So is the sum of all groups. Outliers decide none of this,
// and how many there are is as often the machine's doing as the program's: no quantile but the
// middle counts. Of tasks of several kinds, those that are most therefore decide: compare by
// codelet. Groups that are too few for a figure of noise (compare.h) are named, not judged. A span
// has none of its own: it is refused when at least half of what it grew by is found again, beyond
// noise, in tasks or in what workers do between them (pauses, scheduling); or when no noise can
// explain it: it grew by more than the threshold and by more than three times the spread of tasks
// within these runs (SpreadWithin()), and than kHiccupNs, which a busy machine may take away at
// once. Where all tasks of a group are equally long, as on a simulated machine, there is no noise,
// and both are nothing. Else it is named.
//
// Several runs of one side: each run gives one value (its span, its total, the median of a group),
// a side the median of its runs. The noise is what runs of one program differ by, of the side where
// it is larger: the distance between the extremes of fewer than five runs, and from five on, where
// one that was disturbed can be told, three times the median distance from the side's median. What
// grew by more than the threshold and by more than the noise is refused.
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
  // Where these are what one run took, and what it took more beyond noise.
  bool is_beyond_noise = false;
  std::optional<Shift> shift;      // of the typical task
  std::optional<double> noise_ns;  // of several runs

  double Percent() const;
};

struct Judgement {
  std::vector<Regression> regressions;
  std::optional<Regression> span;     // grew too much, which nothing explains
  std::vector<std::string> unjudged;  // of what there is no figure of noise
};

// `changes` are those between the two runs, `states` by StatisticsBy::kState.
Judgement JudgePair(const RunSummary& before, const RunSummary& after,
                    std::span<const Change> changes, StatisticsBy by,
                    std::span<const Change> states, double threshold_percent);

// What one run, or one group of tasks in it, took.
struct RunFigure {
  std::vector<double> before_ns, after_ns;  // by run; a run without the group is left out
  // Medians of the sides; the noise of either.
  double BeforeNs() const;
  double AfterNs() const;
  double NoiseNs() const;
};
using RunFigures = std::map<std::string, RunFigure>;  // by what it is of: "the span"

// Adds what `run` took. `changes`: between the first run before and this one.
enum class Side : uint8_t { kBefore, kAfter };
void AddRun(RunFigures& figures, Side side, const RunSummary& run, std::span<const Change> changes,
            StatisticsBy by);

Judgement JudgeRuns(const RunFigures& figures, double threshold_percent);

}  // namespace tasklens
