// SPDX-License-Identifier: Apache-2.0
// Summarizes a run for the first screen.
#include "server/report/overview.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/bounds.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/task_times.h"
#include "analysis/timeline_rows.h"
#include "converters/rank_word.h"
#include "server/answers/answers.h"
#include "server/answers/area_bound.h"
#include "server/answers/known_values.h"
#include "server/session/trace_message.h"
#include "trace/colours/colours.h"

namespace tasklens {
namespace {

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

// Answers name workers in two ways; here is which row of the timeline is meant.
std::vector<messages::WorkerRow> WorkerRows(const TraceModel& model) {
  const TimelineRows rows(model);
  std::vector<messages::WorkerRow> list;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
    list.push_back({.name = std::string(model.str(model.workers.name[worker])),
                    .label = StatisticsLabel(model, StatisticsBy::kWorker, worker),
                    .rank = model.ranks.rank[model.workers.rank_index[worker]],
                    .row = rows.of_worker[worker] == kNone ? -1 : int64_t{rows.of_worker[worker]}});
  return list;
}

// The colours that the program chose, by task name. If tasks of one name have several colours, the
// name is left out, and each task keeps its own.
std::map<std::string, uint64_t> OwnColours(const TraceModel& model) {
  std::map<std::string, uint64_t> own;
  const NameColours colours(model);
  if (!colours.has_own()) return own;
  for (StringId name = 0; name < model.strings.size(); ++name)
    if (colours.IsOwn(name))
      own[StatisticsLabel(model, StatisticsBy::kCodelet, name)] = colours.OfName(name).rgb;
  return own;
}

// Adds `amount`, spread evenly over `stretch`, to the buckets of `window`, in units of a bucket.
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

messages::Profile ProfileMessage(const TraceModel& model, const IdleReport& idle, size_t buckets) {
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
  messages::Profile profile{.from_ns = window.begin_ns,
                            .to_ns = window.end_ns,
                            .workers = model.workers.size(),
                            .kinds = {"tasks"},
                            .shares = std::move(rows)};
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    profile.kinds.emplace_back(IdleCauseName(static_cast<IdleCause>(cause)));
  // Rounds to a ten-thousandth of a worker.
  for (std::vector<double>& row : profile.shares)
    for (double& value : row) value = std::round(std::max(0., value) * 1e4) / 1e4;
  return profile;
}

messages::OverviewAnswer OverviewMessage(const OpenTrace& trace, size_t most_sites) {
  const TraceModel& model = *trace.model;
  const Span window = MeasuredWindow(model);
  const auto palette = Palette();
  messages::OverviewAnswer overview{TraceMessage(trace)};
  overview.rank_word = RankWord(model);
  overview.begin_ns = window.begin_ns;
  overview.end_ns = window.end_ns;
  overview.duration_ns = model.duration_ns;
  if (model.wall_clock_ns >= 0) overview.wall_clock_ns = model.wall_clock_ns;
  overview.palette.assign(palette.begin(), palette.end());
  overview.colours = OwnColours(model);
  overview.worker_rows = WorkerRows(model);
  for (const SiteCost& cost : trace.costs) {
    if (overview.costs.size() >= most_sites) break;
    overview.costs.push_back(OverviewSiteMessage(model, cost, trace.summary.busy_ns));
  }
  return overview;
}

void AddReasons(const TraceModel& model, const IdleReport& idle, const Bounds& bounds,
                const CriticalPath& path, messages::OverviewAnswer& overview) {
  overview.factors = EfficiencyMessage(SplitEfficiency(model, idle).whole);
  overview.times_ns = TimesByCause(TimeWithin(idle, {INT64_MIN, INT64_MAX}));
  overview.bound = {.bound_ns = bounds.best_ns(), .longest_chain_ns = bounds.critical_path_ns};
  if (bounds.span_ns > 0) overview.bound->bound_over_span = bounds.BoundOverSpan();
  // The first rank without an area bound gives the reason, which is usually the same for all ranks.
  for (const AreaBound& area : bounds.area)
    if (!overview.bound->why_not_found)
      overview.bound->why_not_found = KnownText(WhyNotFound(area));
  overview.critical_path = {
      .work_ns = path.work_ns, .wait_ns = path.wait_ns, .count = path.steps.size()};
  overview.profile = ProfileMessage(model, idle);
}

}  // namespace tasklens
