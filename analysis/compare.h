// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what takes more time, where, whether it is more tasks or longer ones, and
// whether that is more than noise.
//
// Groups are matched by their labels (codelet, worker, kind); submission sites also where their
// lines moved in between (moved_sites.h). The change of a group's time is split exactly: more or
// fewer tasks (at the mean before), and longer or shorter tasks (the rest). Each part is judged for
// itself; the verdict of the group is that of the larger part which is more than noise. Where the
// other part is larger, but noise, and the group as a whole went the other way, that verdict is
// about the single task and says so: `each shorter` may take more time in all.
//
// How many tasks a codelet or a site has is the program's doing: any difference is one. Which
// worker ran them is chance, also how many states there are: then the number is taken for a Poisson
// variable, so that a difference has the standard deviation sqrt(count before + count after).
//
// Whether the typical task became longer is judged, in groups with kFewestRanked tasks or more in
// either run, by the Mann-Whitney test, which needs no normal distribution and does not mind
// outliers: with both samples ranked together, U counts the pairs in which the task after is the
// longer one; under "no change" U is close to normal, with the variance corrected for ties. Fewer
// tasks cannot be ranked surely enough. There the logarithms of the durations are compared by
// Student's t test with the spread of the group in both runs; where it is of one task in each, with
// the spread of all groups of these runs, and where these have none either, nothing can be said
// (`too few`). A spread is never taken to be less than what the clock tells apart, so that a
// simulated machine, whose tasks differ by nothing, is judged as well.
// p is two-sided and multiplied by the number of groups tested (Bonferroni), so that a comparison
// of a hundred lines does not find one by chance. `slower` and `faster` need p < 0.01. `more tasks`
// and `fewer tasks`, where chance decides, need the same p.
// The total is another question: a few outliers move it as the typical task does not. Its change
// has noise of its own, half the interval that holds the truth in 99 of 100 comparisons (Student's
// t, for all groups at once). Where it is larger than that, though the typical task is as long, the
// verdict is `some longer` or `some shorter`. By how much the typical task became longer is the
// Hodges-Lehmann estimate: the median of all differences between a task after and one before, which
// outliers do not move, with the interval that holds it in 99 of 100 draws, whatever the
// distribution (the order statistics of these differences that belong to U's 0.5 % and 99.5 %).
// What a threshold judges: regressions.h. What this cannot see: tasks of one run are not
// independent of each other (another program on the machine slows all of them). Compare several
// runs before you believe a small change.
//
// Pure functions; any thread. O(n log n), with a factor of at most 63 where differences are ranked.
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
  kEachLonger,   // as kSlower, but there were fewer and the total is less
  kEachShorter,  // as kFaster, but there were more and the total is more
  kSomeLonger,   // the typical task is as long, but the mean is longer, beyond its own noise
  kSomeShorter,
  kTooFew,      // a task in each run, and nothing that says by how much tasks differ
  kOnlyBefore,  // no task of the group ran in the other run
  kOnlyAfter,
};
std::string_view VerdictName(Verdict verdict);  // "within noise", "slower", ...

inline constexpr size_t kFewest = 5;  // states of a kind that say anything of a run
inline constexpr size_t kFewestRanked = 10;

struct MannWhitney {
  double u = 0;  // pairs (before, after) with the second larger; ties count half
  double p = 1;  // two-sided; 1 where a sample is empty or all values are equal
};
// Both are sorted in place.
MannWhitney TestMannWhitney(std::vector<int64_t>& before, std::vector<int64_t>& after);

// By how much the values after are larger than those before.
struct Shift {
  int64_t ns = 0;
  int64_t low_ns = 0, high_ns = 0;  // the smallest and the largest difference where values are few
};
// REQUIRES: both are sorted, neither is empty, none is negative.
Shift EstimateShift(const std::vector<int64_t>& before, const std::vector<int64_t>& after);

struct Change {
  std::string label;         // that of the run after, where the group is there
  std::string label_before;  // of a site that moved, else ""
  DurationSummary before, after;
  double by_count_ns = 0;        // (count after - count before) * mean before
  double by_duration_ns = 0;     // count after * (mean after - mean before)
  double standard_error_ns = 0;  // of the difference of the means
  double by_count_error_ns = 0;  // standard deviation of by_count_ns, 0 where the program decides
  double by_duration_error_ns = 0;  // standard error of by_duration_ns
  double by_count_noise_ns = 0;     // beyond which the parts are significant: 0 where the program
  double by_duration_noise_ns = 0;  // decides, infinite where a task of each says nothing
  Shift shift;                      // of a task; zeros where a run has none
  double longer_share = 0.5;        // of the pairs (before, after), those whose second is longer
  double log_squares = 0;           // of the logarithms' distances from their means, in both runs
  double p = 1;        // that tasks are as long: corrected for the number of groups, at most 1
  double count_p = 1;  // that there are as many, corrected likewise
  // kWithinNoise, kSlower, kFaster, kSomeLonger, kSomeShorter, kTooFew; kWithinNoise, kMoreTasks,
  // kFewerTasks. Both as
  // `verdict` where one of the runs has none.
  Verdict duration_verdict = Verdict::kTooFew, count_verdict = Verdict::kWithinNoise;
  Verdict verdict = Verdict::kTooFew;

  // Total after less total before.
  double change_ns() const { return by_count_ns + by_duration_ns; }
  // Those parts of it that are more than noise.
  double beyond_noise_ns() const;
  // 1: the typical task is longer, more than by noise; -1: shorter; 0: neither can be told. A few
  // outliers may move the means the other way.
  int Direction() const;
  // Whether the change of the total by longer or shorter tasks is more than noise.
  bool IsTotalSignificant() const;
  // What the group takes more in more tasks and in longer ones, both beyond noise; longer as far as
  // the typical task and the mean are, so that outliers make it no larger.
  double typical_growth_ns() const;
};

// The groups of either run, the largest change (either way) first, equals by label.
std::vector<Change> Compare(const TraceModel& before, const TraceModel& after, StatisticsBy by,
                            Stop stop = nullptr);

// How much tasks of one group differ within these runs, groups of several tasks taken together: the
// standard deviation of the logarithms, so that 0.05 is 5 %. Nothing where no group has two tasks.
std::optional<double> SpreadWithin(std::span<const Change> changes);

// Whether no task of one run is of a group of the other.
bool HaveNothingInCommon(std::span<const Change> changes);

// All groups together, each task being in one.
struct TotalChange {
  uint64_t count_before = 0, count_after = 0;
  int64_t before_ns = 0, after_ns = 0;
  double by_count_ns = 0, by_duration_ns = 0;              // add up to the change
  double by_count_error_ns = 0, by_duration_error_ns = 0;  // groups taken as independent
  double by_count_noise_ns = 0, by_duration_noise_ns = 0;
  double beyond_noise_ns = 0, typical_growth_ns = 0;  // sums of the groups'

  double change_ns() const { return by_count_ns + by_duration_ns; }
};
TotalChange SumOf(std::span<const Change> changes);

}  // namespace tasklens
