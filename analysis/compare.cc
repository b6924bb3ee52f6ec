// SPDX-License-Identifier: Apache-2.0
// Matches groups, ranks durations.
#include "analysis/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/moved_sites.h"
#include "analysis/sum.h"

namespace tasklens {
namespace {

constexpr double kSignificant = 0.01;
constexpr double kDeviations = 2.5758;  // of a normal variable, within which are 99 of 100 draws

double Variance(const DurationSummary& summary) { return summary.stddev_ns * summary.stddev_ns; }

bool IsOneSided(Verdict verdict) {
  return verdict == Verdict::kOnlyBefore || verdict == Verdict::kOnlyAfter;
}

// What decides how many tasks a group has: the program, or chance.
bool IsCountedByChance(StatisticsBy by) {
  return by != StatisticsBy::kCodelet && by != StatisticsBy::kSite;
}

// One group of tasks in both runs.
struct Group {
  std::string label, label_before;
  std::vector<int64_t> before_ns, after_ns;
};

// By label.
std::vector<Group> MatchGroups(const TraceModel& before, const TraceModel& after, StatisticsBy by,
                               Stop stop) {
  std::map<std::string, std::string> same_site;
  if (by == StatisticsBy::kSite) same_site = MatchSites(before, after, stop);
  std::set<std::string> taken;
  for (const auto& [label_before, label] : same_site) taken.insert(label);
  std::vector<Group> groups;
  std::map<std::string, size_t> place;  // by the label after
  for (LabelledDurations& group : DurationsBy(before, by, stop)) {
    const auto same = same_site.find(group.label);
    const std::string& label = same == same_site.end() ? group.label : same->second;
    // A site that is gone keeps to itself, though another may stand on its line now.
    if (same != same_site.end() || !taken.contains(label)) place[label] = groups.size();
    groups.push_back({label, group.label, std::move(group.durations_ns), {}});
  }
  for (LabelledDurations& group : DurationsBy(after, by, stop)) {
    const auto [it, is_new] = place.try_emplace(group.label, groups.size());
    if (is_new) groups.push_back({group.label, group.label, {}, {}});
    groups[it->second].after_ns = std::move(group.durations_ns);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.label < b.label; });
  return groups;
}

Change ChangeOf(const std::string& label, std::vector<int64_t>& before_ns,
                std::vector<int64_t>& after_ns) {
  Change change;
  change.label = label;
  const MannWhitney test = TestMannWhitney(before_ns, after_ns);
  change.p = test.p;
  change.before = Summarize(before_ns);
  change.after = Summarize(after_ns);
  const auto count_before = static_cast<double>(change.before.count);
  const auto count_after = static_cast<double>(change.after.count);
  if (change.before.count == 0 || change.after.count == 0) {
    change.by_count_ns = count_after * change.after.mean_ns - count_before * change.before.mean_ns;
    change.verdict = change.before.count == 0 ? Verdict::kOnlyAfter : Verdict::kOnlyBefore;
    change.duration_verdict = change.count_verdict = change.verdict;
    return change;
  }
  change.shift = EstimateShift(before_ns, after_ns);
  change.longer_share = test.u / (count_before * count_after);
  change.by_count_ns = (count_after - count_before) * change.before.mean_ns;
  change.by_duration_ns = count_after * (change.after.mean_ns - change.before.mean_ns);
  change.standard_error_ns =
      std::sqrt(Variance(change.before) / count_before + Variance(change.after) / count_after);
  change.by_duration_error_ns = count_after * change.standard_error_ns;
  if (std::min(change.before.count, change.after.count) >= kFewest)
    change.duration_verdict = Verdict::kWithinNoise;
  return change;
}

// The pairs' direction and the means' must agree, or the change is not one that can be told.
void JudgeDuration(Change& change, size_t tested) {
  if (change.duration_verdict != Verdict::kWithinNoise) return;
  change.p = std::min(1., change.p * static_cast<double>(tested));
  if (change.p >= kSignificant) return;
  if (change.longer_share > 0.5 && change.by_duration_ns > 0)
    change.duration_verdict = Verdict::kSlower;
  if (change.longer_share < 0.5 && change.by_duration_ns < 0)
    change.duration_verdict = Verdict::kFaster;
}

void JudgeCount(Change& change, bool by_chance, size_t tested) {
  const auto before = static_cast<double>(change.before.count);
  const auto after = static_cast<double>(change.after.count);
  if (IsOneSided(change.count_verdict) || before == after) return;
  const double deviation = by_chance ? std::sqrt(before + after) : 0;
  change.by_count_error_ns = deviation * change.before.mean_ns;
  change.count_p =
      by_chance ? std::min(1., static_cast<double>(tested) *
                                   std::erfc(std::fabs(after - before) / deviation / std::sqrt(2)))
                : 0;
  if (change.count_p < kSignificant)
    change.count_verdict = after > before ? Verdict::kMoreTasks : Verdict::kFewerTasks;
}

bool IsBeyondNoise(Verdict verdict) {
  return verdict != Verdict::kWithinNoise && verdict != Verdict::kTooFew;
}

// The verdict of the larger part that is more than noise.
Verdict VerdictOf(const Change& change) {
  const bool count_changed = IsBeyondNoise(change.count_verdict);
  const bool count_is_larger = std::fabs(change.by_count_ns) > std::fabs(change.by_duration_ns);
  if (count_changed && (count_is_larger || !IsBeyondNoise(change.duration_verdict)))
    return change.count_verdict;
  if (change.duration_verdict == Verdict::kSlower && change.change_ns() < 0)
    return Verdict::kEachLonger;
  if (change.duration_verdict == Verdict::kFaster && change.change_ns() > 0)
    return Verdict::kEachShorter;
  return change.duration_verdict;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWithinNoise: return "within noise";
    case Verdict::kSlower: return "slower";
    case Verdict::kFaster: return "faster";
    case Verdict::kMoreTasks: return "more tasks";
    case Verdict::kFewerTasks: return "fewer tasks";
    case Verdict::kEachLonger: return "each longer";
    case Verdict::kEachShorter: return "each shorter";
    case Verdict::kTooFew: return "too few";
    case Verdict::kOnlyBefore: return "only before";
    case Verdict::kOnlyAfter: return "only after";
  }
  return "too few";
}

double Change::beyond_noise_ns() const {
  if (IsOneSided(verdict)) return change_ns();
  return (IsBeyondNoise(count_verdict) ? by_count_ns : 0) +
         (IsBeyondNoise(duration_verdict) ? by_duration_ns : 0);
}

MannWhitney TestMannWhitney(std::vector<int64_t>& before, std::vector<int64_t>& after) {
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  MannWhitney result;
  if (before.empty() || after.empty()) return result;
  double ties = 0;  // sum of t^3 - t over groups of t equal values
  for (size_t i = 0, j = 0; i < before.size() || j < after.size();) {
    const int64_t value =
        j == after.size() || (i < before.size() && before[i] < after[j]) ? before[i] : after[j];
    const size_t below = i;
    size_t equal_before = 0, equal_after = 0;
    for (; i < before.size() && before[i] == value; ++i) ++equal_before;
    for (; j < after.size() && after[j] == value; ++j) ++equal_after;
    result.u += static_cast<double>(equal_after) *
                (static_cast<double>(below) + static_cast<double>(equal_before) / 2);
    const auto tied = static_cast<double>(equal_before + equal_after);
    ties += tied * tied * tied - tied;
  }
  const auto n = static_cast<double>(before.size()), m = static_cast<double>(after.size());
  const double all = n + m;
  const double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
  if (!(variance > 0)) return result;
  // Half a pair of correction, as U takes whole and half values only.
  const double off = std::max(0., std::fabs(result.u - n * m / 2) - 0.5);
  result.p = std::erfc(off / std::sqrt(2 * variance));
  return result;
}

namespace {

// The pairs (before, after) that differ by `ns` at most.
uint64_t PairsUpTo(const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                   int64_t ns) {
  uint64_t pairs = 0;
  size_t j = 0;
  for (const int64_t value : before) {
    while (j < after.size() && after[j] - value <= ns) ++j;
    pairs += j;
  }
  return pairs;
}

// The difference of rank `rank`, from 1.
int64_t DifferenceOf(const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                     uint64_t rank) {
  int64_t low = after.front() - before.back(), high = after.back() - before.front();
  while (low < high) {
    const int64_t middle =
        low + static_cast<int64_t>((static_cast<uint64_t>(high) - static_cast<uint64_t>(low)) / 2);
    if (PairsUpTo(before, after, middle) >= rank)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

Shift EstimateShift(const std::vector<int64_t>& before, const std::vector<int64_t>& after) {
  const auto n = static_cast<double>(before.size()), m = static_cast<double>(after.size());
  const uint64_t pairs = uint64_t{before.size()} * after.size();
  const double off = n * m / 2 - kDeviations * std::sqrt(n * m * (n + m + 1) / 12);
  const uint64_t first = off < 1 ? 1 : static_cast<uint64_t>(off);
  return {DifferenceOf(before, after, (pairs + 1) / 2), DifferenceOf(before, after, first),
          DifferenceOf(before, after, pairs - first + 1)};
}

int Change::Direction() const {
  if (IsOneSided(duration_verdict) || duration_verdict == Verdict::kTooFew || p >= kSignificant)
    return 0;
  return longer_share > 0.5 ? 1 : longer_share < 0.5 ? -1 : 0;
}

double Change::typical_growth_ns() const {
  if (IsOneSided(verdict)) return change_ns();
  const double more = IsBeyondNoise(count_verdict) ? by_count_ns : 0;
  const int direction = Direction();
  if (direction == 0) return more;
  const double typical_ns =
      static_cast<double>(shift.ns) * static_cast<double>(after.count) * direction;
  return more + direction * std::max(0., std::min(typical_ns, by_duration_ns * direction));
}

std::vector<Change> Compare(const TraceModel& before, const TraceModel& after, StatisticsBy by,
                            Stop stop) {
  std::vector<Group> groups = MatchGroups(before, after, by, stop);
  std::vector<Change> changes;
  size_t tested = 0;
  for (Group& group : groups) {
    if (Stopped(stop)) return changes;
    changes.push_back(ChangeOf(group.label, group.before_ns, group.after_ns));
    if (group.label_before != group.label) changes.back().label_before = group.label_before;
    tested += changes.back().duration_verdict == Verdict::kWithinNoise;
  }
  for (Change& change : changes) {
    JudgeDuration(change, tested);
    JudgeCount(change, IsCountedByChance(by), changes.size());
    change.verdict = VerdictOf(change);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::fabs(a.change_ns()) > std::fabs(b.change_ns());
  });
  return changes;
}

TotalChange SumOf(std::span<const Change> changes) {
  TotalChange total;
  for (const Change& change : changes) {
    total.count_before += change.before.count;
    total.count_after += change.after.count;
    AddNs(total.before_ns, change.before.total_ns);
    AddNs(total.after_ns, change.after.total_ns);
    total.by_count_ns += change.by_count_ns;
    total.by_duration_ns += change.by_duration_ns;
    total.by_count_error_ns = std::hypot(total.by_count_error_ns, change.by_count_error_ns);
    total.by_duration_error_ns =
        std::hypot(total.by_duration_error_ns, change.by_duration_error_ns);
    total.beyond_noise_ns += change.beyond_noise_ns();
    total.typical_growth_ns += change.typical_growth_ns();
  }
  return total;
}

}  // namespace tasklens
