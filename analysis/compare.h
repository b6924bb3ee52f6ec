// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what became slower, where, and whether that is more than noise.
//
// Groups are matched by their labels (codelet, "file:line", worker, kind). The change of a group's
// time is split exactly: more or fewer tasks (at the mean before), and longer or shorter tasks (the
// rest). Whether tasks became longer is judged by the Mann-Whitney test, which needs no normal
// distribution and does not mind outliers: with both samples ranked together, U counts the pairs in
// which the task after is the longer one; under "no change" U is close to normal, with the variance
// corrected for ties. p is two-sided and multiplied by the number of groups tested (Bonferroni), so
// that a comparison of a hundred lines does not find one by chance. `slower` or `faster` needs
// p < 0.01, and the means to differ in the same direction; anything else is within noise.
// What this cannot see: tasks of one run are not independent of each other (another program on the
// machine slows all of them). Compare several runs before you believe a small change.
//
// Pure functions; any thread. O(n log n).
#pragma once

#include <cstdint>
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
  kSlower,
  kFaster,
  kTooFew,      // fewer than kFewest tasks before or after
  kOnlyBefore,  // no task of the group ran in the other run
  kOnlyAfter,
};
std::string_view VerdictName(Verdict verdict);  // "within noise", "slower", ...

inline constexpr size_t kFewest = 5;

struct MannWhitney {
  double u = 0;  // pairs (before, after) with the second larger; ties count half
  double p = 1;  // two-sided; 1 where a sample is empty or all values are equal
};
// Both are sorted in place.
MannWhitney TestMannWhitney(std::vector<int64_t>& before, std::vector<int64_t>& after);

struct Change {
  std::string label;
  DurationSummary before, after;
  double by_count_ns = 0;        // (count after - count before) * mean before
  double by_duration_ns = 0;     // count after * (mean after - mean before)
  double standard_error_ns = 0;  // of the difference of the means
  double longer_share = 0.5;     // of the pairs (before, after), those whose second is longer
  double p = 1;                  // corrected for the number of groups, at most 1
  Verdict verdict = Verdict::kTooFew;

  // Total after less total before.
  double change_ns() const { return by_count_ns + by_duration_ns; }
};

// The groups of either run, the largest change (either way) first, equals by label.
std::vector<Change> Compare(const TraceModel& before, const TraceModel& after, StatisticsBy by,
                            Stop stop = nullptr);

}  // namespace tasklens
