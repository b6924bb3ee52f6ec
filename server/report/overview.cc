// SPDX-License-Identifier: Apache-2.0
// Sums up a run for the first screen.
#include "server/report/overview.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/run_clock.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/task_times.h"
#include "analysis/timeline_rows.h"
#include "converters/rank_word.h"
#include "server/answers/answers.h"
#include "server/answers/area_bound.h"
#include "trace/colours/colours.h"

namespace tasklens {

using nlohmann::json;

namespace {

constexpr size_t kMaxNames = 20;

// From the earliest to the latest moment at which a worker is measured.
Span MeasuredWindow(const TraceModel& model) {
  Span window{INT64_MAX, INT64_MIN};
  for (const Span& worker : MeasuredSpans(model, RunWindows(model))) {
    if (worker.length_ns() <= 0) continue;
    window.begin_ns = std::min(window.begin_ns, worker.begin_ns);
    window.end_ns = std::max(window.end_ns, worker.end_ns);
  }
  return window.begin_ns < window.end_ns ? window : Span{};
}

json SiteRow(const TraceModel& model, const SiteCost& cost, int64_t busy_ns) {
  json names = json::array();
  for (const StringId name : cost.names) {
    if (names.size() == kMaxNames) break;
    names.push_back(model.str(name).empty() ? "unknown" : model.str(name));
  }
  return {{"site", cost.site},
          {"file", model.str(model.sites.file[cost.site])},
          {"line", model.sites.line[cost.site]},
          {"function", model.str(model.sites.function[cost.site])},
          {"names", std::move(names)},
          {"tasks", cost.tasks},
          {"runs", cost.runs},
          {"totalNs", cost.total_ns},
          {"meanNs", cost.MeanNs()},
          {"share",
           busy_ns > 0 ? static_cast<double>(cost.total_ns) / static_cast<double>(busy_ns) : 0.}};
}

// Answers name workers in two ways; here is which row of the timeline is meant.
json WorkerRows(const TraceModel& model) {
  const TimelineRows rows(model);
  json list = json::array();
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
    list.push_back(
        {{"name", model.str(model.workers.name[worker])},
         {"label", StatisticsLabel(model, StatisticsBy::kWorker, worker)},
         {"rank", model.ranks.rank[model.workers.rank_index[worker]]},
         {"row", rows.of_worker[worker] == kNone ? -1 : int64_t{rows.of_worker[worker]}}});
  return list;
}

// The colours that the program chose, by name of the tasks; of tasks of one name that have several
// each keeps its own.
json OwnColours(const TraceModel& model) {
  json own = json::object();
  const NameColours colours(model);
  if (!colours.has_own()) return own;
  for (StringId name = 0; name < model.strings.size(); ++name)
    if (colours.IsOwn(name))
      own[StatisticsLabel(model, StatisticsBy::kCodelet, name)] = colours.OfName(name).rgb;
  return own;
}

// Adds `amount` spread evenly over `stretch` to the buckets of `window`, as parts of a bucket.
class Spreader {
 public:
  Spreader(Span window, size_t buckets)
      : window_(window),
        width_(
            std::max(1., static_cast<double>(window.length_ns()) / static_cast<double>(buckets))),
        buckets_(buckets) {}

  void Add(Span stretch, double amount_ns, std::vector<double>& row) const {
    if (stretch.length_ns() <= 0 || amount_ns == 0) return;
    const double begin = static_cast<double>(stretch.begin_ns - window_.begin_ns) / width_;
    const double end = static_cast<double>(stretch.end_ns - window_.begin_ns) / width_;
    const double density = amount_ns / static_cast<double>(stretch.length_ns());
    const auto last = static_cast<size_t>(std::max(0., std::ceil(end)));
    for (auto i = static_cast<size_t>(std::max(0., begin)); i < std::min(last, buckets_); ++i) {
      const auto low = static_cast<double>(i);
      row[i] += density * std::max(0., std::min(end, low + 1) - std::max(begin, low));
    }
  }

 private:
  const Span window_;
  const double width_;  // of a bucket, in ns
  const size_t buckets_;
};

}  // namespace

json FindingsJson(const TraceModel& model, std::span<const Finding> findings) {
  json rows = CamelCase(AdviceAnswer(model, findings))["findings"];
  for (size_t i = 0; i < findings.size(); ++i)
    rows[i]["site"] = findings[i].site < model.sites.size() ? json(findings[i].site) : json();
  return rows;
}

json LegendJson(const Legend& legend) {
  json entries = json::array();
  for (const LegendEntry& entry : legend.entries)
    entries.push_back({{"label", entry.label},
                       {"rgb", entry.rgb},
                       {"stripes", entry.stripes},
                       {"low", entry.has_range() ? json(entry.low) : json()},
                       {"high", entry.has_range() ? json(entry.high) : json()}});
  return {{"by", legend.by}, {"unit", legend.unit}, {"entries", std::move(entries)}};
}

json ProfileAnswer(const TraceModel& model, const IdleReport& idle, size_t buckets) {
  const Span window = MeasuredWindow(model);
  std::vector<std::vector<double>> rows(1 + kIdleCauses, std::vector<double>(buckets, 0.));
  const Spreader spreader(window, buckets);
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const Span measured = idle.workers[worker].measured;
    spreader.Add(measured, static_cast<double>(measured.length_ns()), rows[0]);
  }
  for (const IdlePause& pause : idle.pauses) {
    const Span stretch{pause.start_ns, pause.end_ns};
    spreader.Add(stretch, -static_cast<double>(stretch.length_ns()), rows[0]);
    for (size_t cause = 0; cause < kIdleCauses; ++cause)
      spreader.Add(stretch, static_cast<double>(pause.cause_ns[cause]), rows[1 + cause]);
  }
  json kinds = json::array({"tasks"}), shares = json::array();
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    kinds.push_back(IdleCauseName(static_cast<IdleCause>(cause)));
  for (std::vector<double>& row : rows) {
    // Four decimals are a ten-thousandth of a worker.
    for (double& value : row) value = std::round(std::max(0., value) * 1e4) / 1e4;
    shares.push_back(row);
  }
  return {{"fromNs", window.begin_ns},
          {"toNs", window.end_ns},
          {"workers", model.workers.size()},
          {"kinds", std::move(kinds)},
          {"shares", std::move(shares)}};
}

json OverviewAnswer(const TraceModel& model, const RunSummary& run, std::span<const SiteCost> costs,
                    size_t most_sites) {
  const Span window = MeasuredWindow(model);
  json sites = json::array();
  for (size_t i = 0; i < std::min(most_sites, costs.size()); ++i)
    sites.push_back(SiteRow(model, costs[i], run.busy_ns));
  return {{"tasks", run.tasks},
          {"ran", run.ran},
          {"dependencies", run.dependencies},
          {"workers", run.workers},
          {"ranks", run.ranks},
          {"rankWord", RankWord(model)},
          {"beginNs", window.begin_ns},
          {"endNs", window.end_ns},
          {"durationNs", model.duration_ns},
          {"wallClockNs", model.wall_clock_ns >= 0 ? json(model.wall_clock_ns) : json()},
          {"zeroNs", RunClock(model).zero_ns()},
          {"spanNs", run.span_ns},
          {"busyNs", run.busy_ns},
          {"palette", Palette()},
          {"colours", OwnColours(model)},
          {"workerRows", WorkerRows(model)},
          {"sitesTotal", costs.size()},
          {"sites", std::move(sites)}};
}

json ReasonsAnswer(const TraceModel& model, const IdleReport& idle, const Bounds& bounds,
                   const CriticalPath& path) {
  const Efficiency whole = SplitEfficiency(model, idle).whole;
  // Where nothing was measured there is no efficiency.
  const auto share = [&](double value) { return whole.all_ns() > 0 ? json(value) : json(); };
  // The first rank's without an area bound: what is in its way is most often in that of all.
  std::string why_not;
  for (const AreaBound& area : bounds.area)
    if (why_not.empty()) why_not = WhyNotFound(area);
  return {{"efficiency",
           {{"total", share(whole.Total())},
            {"locality", share(whole.Locality())},
            {"scheduling", share(whole.Scheduling())},
            {"runtime", share(whole.Runtime())},
            {"parallelism", share(whole.Parallelism())},
            {"known", share(whole.Known())}}},
          {"timesNs", StretchTimeAnswer(TimeWithin(idle, {INT64_MIN, INT64_MAX}))},
          {"bound",
           {{"boundNs", bounds.best_ns()},
            {"longestChainNs", bounds.critical_path_ns},
            {"boundOverSpan", bounds.span_ns > 0 ? json(bounds.BoundOverSpan()) : json()},
            {"whyNotFound", why_not.empty() ? json() : json(why_not)}}},
          {"criticalPath",
           {{"workNs", path.work_ns}, {"waitNs", path.wait_ns}, {"count", path.steps.size()}}},
          {"profile", ProfileAnswer(model, idle)}};
}

}  // namespace tasklens
