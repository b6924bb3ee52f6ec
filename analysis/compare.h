// SPDX-License-Identifier: Apache-2.0
// Compares two runs: which groups take more time, whether because of more tasks or longer ones, and
// whether the difference is more than noise.
//
// Groups are matched by their labels (codelet, worker, kind); submission sites also if their lines
// moved (moved_sites.h). The change of a group's time is split exactly: more or fewer tasks (at the
// mean before), and longer or shorter tasks (the rest). Each part is tested separately; the verdict
// of the group is that of the larger part that is more than noise. If the other part is larger but
// noise, and the whole group changed in the other direction, the verdict is about the single task
// and says so: a group with `each shorter` may take more time in total.
//
// The program determines the number of tasks of a codelet or a site, so any difference counts.
// Which worker ran them is chance, and so is the number of states: there the number is treated as a
// Poisson variable, so that a difference has the standard deviation sqrt(count before + count
// after).
//
// Whether the typical task became longer is tested, in groups with kFewestRanked tasks or more in
// either run, by the Mann-Whitney test, which assumes no normal distribution and is robust to
// outliers: with both samples ranked together, U counts the pairs in which the task after is the
// longer one; under "no change" U is close to normal, with the variance corrected for ties. Fewer
// tasks are too few to rank. For these the logarithms of the durations are compared by Student's t
// test with the spread of the group in both runs; if there is one task in each run, with the spread
// of all groups of these runs; and if these have none either, nothing can be said (`too few`). A
// spread is never taken to be less than the resolution of the clock, so that a simulated machine,
// whose tasks are all equal, can be judged as well.
// p is two-sided and multiplied by the number of groups tested (Bonferroni), so that a comparison
// of a hundred lines does not find one by chance. `slower` and `faster` need p < 0.01. `more tasks`
// and `fewer tasks`, where chance decides, need the same p.
// The total is a separate question: a few outliers move it but not the typical task. The noise of
// its change is half the interval that contains the true value in 99 of 100 comparisons (Student's
// t, for all groups at once). If the change is larger than this noise while the typical task is
// unchanged, the verdict is `some longer` or `some shorter`. The change of the typical task is the
// Hodges-Lehmann estimate: the median of all differences between a task after and one before, which
// is robust to outliers, with the interval that contains it in 99 of 100 samples, whatever the
// distribution (the order statistics of these differences at U's 0.5 % and 99.5 %). Thresholds are
// in regressions.h. A limit of this method: tasks of one run are not independent of each other
// (another program on the machine slows all of them). Compare several runs before you believe a
// small change.
//
// Pure functions; any thread. O(n log n), times at most 63 if differences are ranked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics.h"
#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class Verdict : uint8_t {
  kWithinNoise,
  kSlower,  // tasks are longer
  kFaster,  // tasks are shorter
  kMoreTasks,
  kFewerTasks,
  kEachLonger,   // like kSlower, but there were fewer tasks and the total is less
  kEachShorter,  // like kFaster, but there were more tasks and the total is more
  kSomeLonger,   // the typical task is unchanged, but the mean is longer, beyond noise
  kSomeShorter,
  kTooFew,      // one task in each run, and no spread to compare with
  kOnlyBefore,  // no task of the group ran in the other run
  kOnlyAfter,
};
std::string_view VerdictName(Verdict verdict);  // "within noise", "slower", ...

inline constexpr size_t kFewest = 5;  // fewer states of a kind than this are not significant
inline constexpr size_t kFewestRanked = 10;

struct MannWhitney {
  double u = 0;  // pairs (before, after) with the second larger; ties count half
  double p = 1;  // two-sided; 1 if a sample is empty or all values are equal
};
// Both are sorted in place.
MannWhitney TestMannWhitney(std::vector<int64_t>& before, std::vector<int64_t>& after);

// The difference between the values after and before.
struct Shift {
  int64_t ns = 0;
  int64_t low_ns = 0, high_ns = 0;  // with few values, the smallest and the largest difference
};
// REQUIRES: both are sorted, neither is empty, none is negative.
Shift EstimateShift(const std::vector<int64_t>& before, const std::vector<int64_t>& after);

struct Change {
  std::string label;         // the label in the run after, if the group exists there
  std::string label_before;  // for a site that moved, else ""
  DurationSummary before, after;
  double by_count_ns = 0;           // (count after - count before) * mean before
  double by_duration_ns = 0;        // count after * (mean after - mean before)
  double standard_error_ns = 0;     // of the difference of the means
  double by_count_error_ns = 0;     // standard deviation of by_count_ns; 0 if the program decides
  double by_duration_error_ns = 0;  // standard error of by_duration_ns
  double by_count_noise_ns = 0;     // larger parts are significant: 0 if the program decides
  double by_duration_noise_ns = 0;  // the same; infinite for one task in each run and no spread
  Shift shift;                      // of the typical task; zeros if a run has none
  double longer_share = 0.5;        // share of pairs (before, after) whose second is longer
  double log_squares = 0;  // sum over both runs of the squared distances of the logarithms from
                           // their means
  double p = 1;            // for equally long tasks: corrected for the number of groups, at most 1
  double count_p = 1;      // for equally many tasks, corrected likewise
  // Possible values: kWithinNoise, kSlower, kFaster, kSomeLonger, kSomeShorter, kTooFew; and
  // kWithinNoise, kMoreTasks, kFewerTasks. Both equal `verdict` if one of the runs has no task.
  Verdict duration_verdict = Verdict::kTooFew, count_verdict = Verdict::kWithinNoise;
  Verdict verdict = Verdict::kTooFew;

  // Total after less total before.
  double change_ns() const { return by_count_ns + by_duration_ns; }
  // The parts of it that are more than noise.
  double beyond_noise_ns() const;
  // 1: the typical task is longer, beyond noise; -1: shorter; 0: undecided. A few outliers may move
  // the means in the other direction.
  int Direction() const;
  // Whether the total changed beyond noise because of longer or shorter tasks.
  bool IsTotalSignificant() const;
  // The additional time of the group in more tasks and in longer ones, both beyond noise. The
  // second is limited to the growth of the typical task and of the mean, so that outliers cannot
  // enlarge it.
  double typical_growth_ns() const;
};

// Returns the groups of both runs, the largest change (in either direction) first, equals by label.
std::vector<Change> Compare(const TraceModel& before, const TraceModel& after, StatisticsBy by,
                            Stop stop = nullptr);

// Returns the spread within groups of these runs, over all groups with several tasks: the standard
// deviation of the logarithms, so that 0.05 is 5 %. Nothing if no group has two tasks.
std::optional<double> SpreadWithin(std::span<const Change> changes);

// Whether the two runs share no group with tasks.
bool HaveNothingInCommon(std::span<const Change> changes);

// The sum over all groups; each task is in one.
struct TotalChange {
  uint64_t count_before = 0, count_after = 0;
  int64_t before_ns = 0, after_ns = 0;
  double by_count_ns = 0, by_duration_ns = 0;              // add up to the change
  double by_count_error_ns = 0, by_duration_error_ns = 0;  // groups are assumed independent
  double by_count_noise_ns = 0, by_duration_noise_ns = 0;
  double beyond_noise_ns = 0, typical_growth_ns = 0;  // sums over the groups

  double change_ns() const { return by_count_ns + by_duration_ns; }
};
TotalChange SumOf(std::span<const Change> changes);

}  // namespace tasklens
