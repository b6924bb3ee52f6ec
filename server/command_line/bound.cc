// SPDX-License-Identifier: Apache-2.0
// tasklens bound: shows how short the run could have been, and where the time went instead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/bounds.h"
#include "analysis/efficiency.h"
#include "analysis/solver/linear_program.h"
#include "analysis/statistics.h"
#include "analysis/text.h"
#include "converters/rank_word.h"
#include "server/answers/answers.h"
#include "server/answers/area_bound.h"
#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/trace_command.h"

namespace tasklens {
namespace {

void PrintFactors(const Efficiency& whole) {
  PrintText("workers ran tasks for {} of their time, the product of:\n", ShareText(whole.Total()));
  if (whole.not_counted_ns > 0)
    PrintText("  (not counted: {} of workers that can run no task of this run)\n",
              DurationText(whole.not_counted_ns));
  const auto row = [&](std::string_view name, double factor, int64_t lost_ns) {
    PrintText("  {:<12} {:>6}  {} lost\n", name, ShareText(factor), DurationText(lost_ns));
  };
  row("parallelism", whole.Parallelism(), whole.no_work_ns);
  row("runtime", whole.Runtime(), whole.runtime_ns);
  row("scheduling", whole.Scheduling(), whole.scheduling_ns);
  row("locality", whole.Locality(), whole.transfer_ns);
  if (whole.not_known_ns > 0)
    PrintText("  {:<12} {:>6}  {}: the trace does not tell what tasks waited for\n", "known",
              ShareText(whole.Known()), DurationText(whole.not_known_ns));
}

void PrintPlacements(const TraceModel& model, const AreaBound& area) {
  const bool any_choice = std::any_of(
      area.placements.begin(), area.placements.end(),
      [](const Placement& p) { return std::fabs(p.best - static_cast<double>(p.ran)) > 0.005; });
  if (!any_choice) return;
  PrintText("  {:<24} {:<8} {:>9} {:>9} {:>11}\n", "codelet", "on", "ran", "best", "mean");
  for (const Placement& p : area.placements)
    PrintText("  {:<24} {:<8} {:>9} {:>9.1f} {:>11}\n",
              StatisticsLabel(model, StatisticsBy::kCodelet, p.codelet), WorkerKindName(p.kind),
              p.ran, p.best, DurationText(static_cast<int64_t>(p.mean_ns)));
}

bool HasSeveralKinds(const Bounds& bounds) {
  std::set<WorkerKind> kinds;
  for (const AreaBound& area : bounds.area)
    for (const Placement& placement : area.placements) kinds.insert(placement.kind);
  return kinds.size() > 1;
}

void Print(const TraceModel& model, const Bounds& bounds, const EfficiencyReport& efficiency) {
  if (bounds.span_ns == 0) {
    PrintText("nothing ran: there is no bound\n");
    return;
  }
  PrintText("span {}; no schedule is shorter than {}, {} of the span\n",
            DurationText(bounds.span_ns), DurationText(static_cast<int64_t>(bounds.best_ns())),
            ShareText(bounds.BoundOverSpan()));
  PrintText(
      "longest dependency chain {}, {} (a bound for any number of workers; `tasklens "
      "critical-path` shows the path of this run)\n",
      DurationText(bounds.critical_path_ns), CountText(bounds.critical_chain.size(), "task"));
  for (size_t rank = 0; rank < bounds.area.size(); ++rank) {
    const AreaBound& area = bounds.area[rank];
    const std::string of_rank =
        bounds.area.size() > 1 ? fmt::format(" of {} {}", RankWord(model), model.ranks.rank[rank])
                               : "";
    if (const std::string why_not = WhyNotFound(area); !why_not.empty()) {
      PrintText("area bound{} not found: {}\n", of_rank, why_not);
      continue;
    }
    PrintText("area bound{} {}\n", of_rank, DurationText(static_cast<int64_t>(area.bound_ns)));
    PrintPlacements(model, area);
  }
  if (HasSeveralKinds(bounds))
    PrintText(
        "(duration of a task: the mean of its codelet and size on that kind of worker, or the "
        "estimate of its performance model where none ran)\n");
  PrintFactors(efficiency.whole);
}

std::function<int()> Declare(OptionSet& cli) {
  auto arguments = std::make_shared<TraceArguments>();
  DeclareTraceArguments(cli, *arguments);
  cli.Example("tasklens bound trace_0.tlt");
  return [arguments] {
    return WithTrace(*arguments, kAnalysisParts, [&](const TraceModel& model) {
      const Bounds bounds = ComputeBounds(model);
      const EfficiencyReport efficiency = SplitEfficiency(model, ExplainIdleness(model));
      if (arguments->json) {
        PrintLines(Dump(BoundMessage(model, bounds, efficiency)));
      } else {
        Print(model, bounds, efficiency);
      }
      const bool has_given_up =
          std::any_of(bounds.area.begin(), bounds.area.end(),
                      [](const AreaBound& area) { return area.status == BoundStatus::kGaveUp; });
      return has_given_up ? SolverStatus().WithPrefix("area bound") : Status::Ok();
    });
  };
}

}  // namespace

extern const CommandSpec kBoundCommand = {
    "bound", "show how short the run could have been, and where the time went", &Declare};

}  // namespace tasklens
