// SPDX-License-Identifier: Apache-2.0
// Compares growth with the threshold and with the noise.
#include "analysis/regressions.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tasklens {
namespace {

double PercentOf(double before, double after) {
  return before > 0 ? 100 * (after / before - 1) : 0;
}

// Returns the growth of the workers' time between tasks, beyond noise.
double GrowthBetweenTasks(std::span<const Change> states) {
  const std::set<std::string_view> others = {
      Decl(StateKind::kTask).name, Decl(StateKind::kExecuting).name,
      Decl(StateKind::kWaitingTask).name, Decl(StateKind::kWaitingAllTasks).name};
  double growth_ns = 0;
  for (const Change& change : states)
    if (!others.contains(change.label) &&
        std::max(change.before.count, change.after.count) >= kFewest)
      growth_ns += change.typical_growth_ns();
  return growth_ns;
}

// Returns the possible noise in the span's growth: see regressions.h. Nothing if it is unknown.
std::optional<double> SpanNoiseNs(const Regression& span, std::span<const Change> changes) {
  const std::optional<double> spread = SpreadWithin(changes);
  if (!spread) return std::nullopt;
  if (*spread == 0) return 0;
  return std::max(static_cast<double>(kHiccupNs), span.before_ns * std::expm1(3 * *spread));
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double NoiseOf(std::vector<double> values) {
  if (values.empty()) return 0;
  if (values.size() < kFewest) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *most - *least;
  }
  const double median = MedianOf(values);
  for (double& value : values) value = std::fabs(value - median);
  return 3 * MedianOf(std::move(values));
}

}  // namespace

double Regression::Percent() const { return PercentOf(before_ns, after_ns); }

Judgement JudgePair(const RunSummary& before, const RunSummary& after,
                    std::span<const Change> changes, StatisticsBy by,
                    std::span<const Change> states, double threshold_percent) {
  Judgement judgement;
  // Checks the growth of a total against its time before.
  const auto check_total = [&](const std::string& what, int64_t total_ns, double growth_ns) {
    const auto before_ns = static_cast<double>(total_ns);
    Regression regression{what, before_ns, before_ns + growth_ns, true, {}, {}};
    if (!(regression.Percent() > threshold_percent)) return false;
    judgement.regressions.push_back(std::move(regression));
    return true;
  };

  const TotalChange total = SumOf(changes);
  Regression span{"the span", static_cast<double>(before.span_ns),
                  static_cast<double>(after.span_ns)};
  if (span.Percent() > threshold_percent) {
    const double explained_ns =
        (by == StatisticsBy::kState ? 0 : total.typical_growth_ns) + GrowthBetweenTasks(states);
    const auto workers = static_cast<double>(std::max<uint64_t>(after.workers, 1));
    const bool is_explained = explained_ns >= (span.after_ns - span.before_ns) * workers / 2;
    const std::optional<double> noise_ns = SpanNoiseNs(span, changes);
    if (!is_explained && noise_ns && span.after_ns - span.before_ns > *noise_ns)
      span.noise_ns = noise_ns;
    if (is_explained || span.noise_ns)
      judgement.regressions.push_back(std::move(span));
    else
      judgement.span = std::move(span);
  }
  if (by != StatisticsBy::kState)
    check_total("the total of all tasks", total.before_ns,
                std::min(total.typical_growth_ns, total.change_ns()));
  for (const Change& change : changes) {
    if (change.duration_verdict == Verdict::kTooFew) judgement.unjudged.push_back(change.label);
    if (check_total("the total of " + change.label, change.before.total_ns,
                    std::min(change.typical_growth_ns(), change.change_ns())))
      continue;
    const auto median_ns = static_cast<double>(change.before.median_ns());
    Regression typical{"the typical task of " + change.label,
                       median_ns,
                       median_ns + static_cast<double>(change.shift.ns),
                       false,
                       change.shift,
                       {}};
    if (change.Direction() > 0 && typical.Percent() > threshold_percent)
      judgement.regressions.push_back(std::move(typical));
  }
  return judgement;
}

double RunFigure::BeforeNs() const { return MedianOf(before_ns); }
double RunFigure::AfterNs() const { return MedianOf(after_ns); }
double RunFigure::NoiseNs() const { return std::max(NoiseOf(before_ns), NoiseOf(after_ns)); }

void AddRun(RunFigures& figures, Side side, const RunSummary& run, std::span<const Change> changes,
            StatisticsBy by) {
  const auto add = [&](const std::string& what, int64_t ns) {
    RunFigure& figure = figures[what];
    (side == Side::kBefore ? figure.before_ns : figure.after_ns).push_back(static_cast<double>(ns));
  };
  add("the span", run.span_ns);
  if (by != StatisticsBy::kState) add("the total of all tasks", SumOf(changes).after_ns);
  for (const Change& change : changes) {
    if (change.after.count == 0) continue;
    const std::string& label = change.label_before.empty() ? change.label : change.label_before;
    add("the total of " + label, change.after.total_ns);
    add("the median of " + label, change.after.median_ns());
  }
}

Judgement JudgeRuns(const RunFigures& figures, double threshold_percent) {
  Judgement judgement;
  for (const auto& [what, figure] : figures) {
    if (figure.before_ns.empty() || figure.after_ns.empty()) continue;
    if (figure.before_ns.size() == 1 && figure.after_ns.size() == 1) {
      judgement.unjudged.push_back(what);
      continue;
    }
    Regression regression{what, figure.BeforeNs(), figure.AfterNs(), false, {}, figure.NoiseNs()};
    if (regression.Percent() > threshold_percent &&
        regression.after_ns - regression.before_ns > *regression.noise_ns)
      judgement.regressions.push_back(std::move(regression));
  }
  return judgement;
}

}  // namespace tasklens
