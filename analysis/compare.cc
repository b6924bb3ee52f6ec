// SPDX-License-Identifier: Apache-2.0
// Matches groups and ranks durations.
#include "analysis/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "analysis/moved_sites.h"
#include "analysis/student.h"
#include "analysis/sum.h"

namespace tasklens {
namespace {

constexpr double kSignificant = 0.01;
constexpr double kDeviations = 2.5758;  // of a normal distribution: 99 of 100 values lie within

double Variance(const DurationSummary& summary) { return summary.stddev_ns * summary.stddev_ns; }

bool IsOneSided(Verdict verdict) {
  return verdict == Verdict::kOnlyBefore || verdict == Verdict::kOnlyAfter;
}

// Whether chance, not the program, determines the number of tasks of a group.
bool IsCountedByChance(StatisticsBy by) {
  return by != StatisticsBy::kCodelet && by != StatisticsBy::kSite && by != StatisticsBy::kSize;
}

// One group of tasks in both runs.
struct Group {
  std::string label, label_before;
  std::vector<int64_t> before_ns, after_ns;
};

// Matches the groups of both runs by label.
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
    // A site that is gone stays separate, even if another one is on its line now.
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
  return change;
}

// The logarithms of durations; 0 ns counts as half a nanosecond.
struct Logs {
  double mean = 0, squares = 0;  // squares: of the distances from the mean
  explicit Logs(const std::vector<int64_t>& durations_ns) {
    const auto log = [](int64_t ns) { return std::log(std::max(static_cast<double>(ns), 0.5)); };
    for (const int64_t ns : durations_ns) mean += log(ns);
    if (!durations_ns.empty()) mean /= static_cast<double>(durations_ns.size());
    for (const int64_t ns : durations_ns) squares += (log(ns) - mean) * (log(ns) - mean);
  }
};

uint64_t DegreesOf(const Change& change) {
  return (change.before.count > 0 ? change.before.count - 1 : 0) +
         (change.after.count > 0 ? change.after.count - 1 : 0);
}

// Returns the resolution of the clock of these runs: all durations are multiples of it.
int64_t ResolutionNs(const std::vector<Group>& groups) {
  constexpr int64_t kCoarsest = 1000;  // a microsecond, in files of other tools
  int64_t resolution_ns = 0;
  for (const Group& group : groups)
    for (const std::vector<int64_t>* side : {&group.before_ns, &group.after_ns})
      for (const int64_t ns : *side) {
        resolution_ns = std::gcd(resolution_ns, ns);
        if (resolution_ns == 1) return 1;
      }
  return std::clamp<int64_t>(resolution_ns, 1, kCoarsest);
}

bool IsRanked(const Change& change) {
  return std::min(change.before.count, change.after.count) >= kFewestRanked;
}

// Returns p of a group that is too small for ranking. `all_variance`: the variance of the
// logarithms in all groups, with its degrees of freedom. Nothing if there is no variance.
std::optional<double> PByLogs(const Change& change, const Group& group, double all_variance,
                              double all_degrees, int64_t resolution_ns) {
  auto degrees = static_cast<double>(DegreesOf(change));
  double variance = degrees > 0 ? change.log_squares / degrees : all_variance;
  if (degrees == 0) degrees = all_degrees;
  if (degrees == 0) return std::nullopt;
  // The rounding error of a duration is uniform between two ticks of the clock.
  const double tick = static_cast<double>(resolution_ns) /
                      std::max(1., std::min(change.before.mean_ns, change.after.mean_ns)) /
                      std::sqrt(12);
  constexpr double kKnownWell = 1e6;  // with so many degrees, a spread is as good as exact
  if (variance < tick * tick) variance = tick * tick, degrees = kKnownWell;
  const double error = std::sqrt(variance * (1 / static_cast<double>(change.before.count) +
                                             1 / static_cast<double>(change.after.count)));
  const double difference = Logs(group.after_ns).mean - Logs(group.before_ns).mean;
  return StudentP(difference / error, degrees);
}

void JudgeDuration(Change& change, size_t tested) {
  if (change.duration_verdict != Verdict::kWithinNoise) return;
  change.p = std::min(1., change.p * static_cast<double>(tested));
  if (change.p < kSignificant && change.shift.ns > 0) change.duration_verdict = Verdict::kSlower;
  if (change.p < kSignificant && change.shift.ns < 0) change.duration_verdict = Verdict::kFaster;
  if (change.duration_verdict != Verdict::kWithinNoise || !change.IsTotalSignificant()) return;
  change.duration_verdict =
      change.by_duration_ns > 0 ? Verdict::kSomeLonger : Verdict::kSomeShorter;
}

// Computes the noise of the total. Welch's degrees of freedom are at least those of the smaller
// sample.
void FindNoise(Change& change, size_t tested) {
  const uint64_t fewest = std::min(change.before.count, change.after.count);
  if (fewest == 0) return;
  change.by_duration_noise_ns =
      fewest == 1
          ? std::numeric_limits<double>::infinity()
          : change.by_duration_error_ns *
                StudentQuantile(kSignificant / static_cast<double>(std::max<size_t>(tested, 1)),
                                static_cast<double>(fewest - 1));
}

void JudgeCount(Change& change, bool by_chance, size_t tested) {
  const auto before = static_cast<double>(change.before.count);
  const auto after = static_cast<double>(change.after.count);
  if (IsOneSided(change.count_verdict) || before == after) return;
  const double deviation = by_chance ? std::sqrt(before + after) : 0;
  change.by_count_error_ns = deviation * change.before.mean_ns;
  constexpr double kNormal = 1e6;  // degrees of freedom
  change.by_count_noise_ns =
      by_chance ? change.by_count_error_ns *
                      StudentQuantile(kSignificant / static_cast<double>(tested), kNormal)
                : 0;
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

// 1 for longer tasks, -1 for shorter ones.
int Sign(Verdict verdict) {
  if (verdict == Verdict::kSlower || verdict == Verdict::kSomeLonger) return 1;
  return verdict == Verdict::kFaster || verdict == Verdict::kSomeShorter ? -1 : 0;
}

// Returns the verdict of the larger part that is more than noise.
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
    case Verdict::kSomeLonger: return "some longer";
    case Verdict::kSomeShorter: return "some shorter";
    case Verdict::kTooFew: return "too few";
    case Verdict::kOnlyBefore: return "only before";
    case Verdict::kOnlyAfter: return "only after";
  }
  return "too few";
}

double Change::beyond_noise_ns() const {
  if (IsOneSided(verdict)) return change_ns();
  return (IsBeyondNoise(count_verdict) ? by_count_ns : 0) +
         (IsBeyondNoise(duration_verdict) && by_duration_ns * Sign(duration_verdict) > 0
              ? by_duration_ns
              : 0);
}

bool Change::IsTotalSignificant() const { return std::fabs(by_duration_ns) > by_duration_noise_ns; }

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
  // Continuity correction of half a pair, because U has only whole and half values.
  const double off = std::max(0., std::fabs(result.u - n * m / 2) - 0.5);
  result.p = std::erfc(off / std::sqrt(2 * variance));
  return result;
}

namespace {

// Returns the number of pairs (before, after) that differ by at most `ns`.
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

// Returns the difference of rank `rank`, from 1.
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
  return duration_verdict == Verdict::kSlower ? 1 : duration_verdict == Verdict::kFaster ? -1 : 0;
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
  double squares = 0, degrees = 0;
  for (Group& group : groups) {
    if (Stopped(stop)) return changes;
    changes.push_back(ChangeOf(group.label, group.before_ns, group.after_ns));
    Change& change = changes.back();
    if (group.label_before != group.label) change.label_before = group.label_before;
    change.log_squares = Logs(group.before_ns).squares + Logs(group.after_ns).squares;
    squares += change.log_squares;
    degrees += static_cast<double>(DegreesOf(change));
  }
  const int64_t resolution_ns = ResolutionNs(groups);
  for (size_t i = 0; i < changes.size(); ++i) {
    Change& change = changes[i];
    if (IsOneSided(change.duration_verdict)) continue;
    if (!IsRanked(change)) {
      const std::optional<double> p =
          PByLogs(change, groups[i], degrees > 0 ? squares / degrees : 0, degrees, resolution_ns);
      change.p = p.value_or(1);
      if (!p) continue;
    }
    change.duration_verdict = Verdict::kWithinNoise;
    ++tested;
  }
  for (Change& change : changes) {
    FindNoise(change, tested);
    JudgeDuration(change, tested);
    JudgeCount(change, IsCountedByChance(by), changes.size());
    change.verdict = VerdictOf(change);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::fabs(a.change_ns()) > std::fabs(b.change_ns());
  });
  return changes;
}

std::optional<double> SpreadWithin(std::span<const Change> changes) {
  double squares = 0, degrees = 0;
  for (const Change& change : changes) {
    squares += change.log_squares;
    degrees += static_cast<double>(DegreesOf(change));
  }
  if (degrees == 0) return std::nullopt;
  // For equal durations only rounding errors remain.
  constexpr double kNothing = 1e-9;
  const double spread = std::sqrt(squares / degrees);
  return spread < kNothing ? 0 : spread;
}

bool HaveNothingInCommon(std::span<const Change> changes) {
  const auto has = [&](Verdict verdict) {
    return std::ranges::any_of(changes, [=](const Change& one) { return one.verdict == verdict; });
  };
  return has(Verdict::kOnlyBefore) && has(Verdict::kOnlyAfter) &&
         std::ranges::all_of(changes, [](const Change& one) { return IsOneSided(one.verdict); });
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
    total.by_count_noise_ns = kDeviations * total.by_count_error_ns;
    total.by_duration_noise_ns = kDeviations * total.by_duration_error_ns;
    total.beyond_noise_ns += change.beyond_noise_ns();
    total.typical_growth_ns += change.typical_growth_ns();
  }
  return total;
}

}  // namespace tasklens
