// SPDX-License-Identifier: Apache-2.0
// tasklens stats: summarises a run, or prints statistics of durations as a table.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "analysis/idle.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/summary.h"
#include "server/command_line/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  TraceArguments trace;
  StretchArguments stretch;
  size_t most = 20;
  std::string by;
  bool csv = false, internal = false;
};

// Prints how all workers spent their time in the stretch.
void PrintTimes(const RunClock& clock, const StretchTime& time, Span stretch) {
  PrintText("{} after {}, {}\n", clock.Text(stretch), clock.ZeroText(),
            DurationText(stretch.length_ns()));
  double all_ns = static_cast<double>(time.task_ns);
  for (const int64_t ns : time.cause_ns) all_ns += static_cast<double>(ns);
  if (all_ns == 0) PrintText("  no worker existed at that time\n");
  const auto print = [&](int64_t ns, std::string_view what) {
    if (ns > 0)
      PrintText("  {:>6}  {:>9}  {}\n", ShareText(static_cast<double>(ns) / all_ns),
                DurationText(ns), what);
  };
  print(time.task_ns, "in tasks");
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    print(time.cause_ns[cause], IdleCauseName(static_cast<IdleCause>(cause)));
}

std::string Text(double ns) { return DurationText(static_cast<int64_t>(ns)); }

void PrintTable(const TraceModel& model, StatisticsBy by, std::span<const StatisticsRow> rows,
                size_t most) {
  PrintText("{:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}\n",
            by == StatisticsBy::kState ? "states" : "executed", "total", "mean", "stddev", "min",
            "median", "q95", "max", by == StatisticsBy::kSite ? "line" : StatisticsByName(by));
  for (const StatisticsRow& row : rows.first(std::min(most, rows.size()))) {
    const DurationSummary& d = row.durations;
    PrintText("{:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}  {}", CountText(d.count),
              DurationText(row.total_ns), Text(d.mean_ns), Text(d.stddev_ns),
              DurationText(d.min_ns), DurationText(d.median_ns()), DurationText(d.quantile_ns[4]),
              DurationText(d.max_ns), StatisticsLabel(model, by, row.key));
    if (row.flops_ns > 0) PrintText(", {:.3g} GFlop/s", row.GFlops());
    if (row.estimates.count > 0)
      PrintText(", {:.2g} times the estimate (off by {})", row.estimates.Bias(),
                ShareText(row.estimates.mean_error));
    if (row.tasks < d.count) PrintText(", {}", CountText(row.tasks, "task"));
    if (row.tasks > d.count && by != StatisticsBy::kState)
      PrintText(", {} did not run", CountText(row.tasks - d.count));
    PrintText("\n");
  }
  if (rows.size() > most)
    PrintText("and {} more; --most shows them\n", CountText(rows.size() - most));
}

// Quotes a field as in RFC 4180. Control characters are escaped, as in all texts.
std::string CsvField(std::string_view label) {
  std::string text = Printable(label);
  if (text.find_first_of(",\"") == text.npos) return text;
  for (size_t at = 0; (at = text.find('"', at)) != text.npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

void PrintCsv(const TraceModel& model, StatisticsBy by, std::span<const StatisticsRow> rows) {
  fmt::print(
      "{},tasks,count,total_ns,mean_ns,stddev_ns,min_ns,q5_ns,q25_ns,median_ns,q75_ns,q95_ns,"
      "max_ns,gflops\n",
      StatisticsByName(by));
  for (const StatisticsRow& row : rows) {
    const DurationSummary& d = row.durations;
    fmt::print("{},{},{},{},{},{},{},{},{},{}\n", CsvField(StatisticsLabel(model, by, row.key)),
               row.tasks, d.count, row.total_ns, d.mean_ns, d.stddev_ns, d.min_ns,
               fmt::join(d.quantile_ns, ","), d.max_ns,
               row.flops_ns > 0 ? fmt::format("{}", row.GFlops()) : "");
  }
}

int Stats(const Options& options) {
  const bool detailed =
      options.trace.json || options.csv || !options.by.empty() || options.stretch.IsGiven();
  const std::optional<StatisticsBy> by =
      ParseStatisticsBy(options.by.empty() ? "site" : options.by);
  if (!by)
    return Fail(
        {ErrorCode::kInvalidArgument,
         "stats: --by takes codelet, line, worker, kind, size or state, not '" + options.by + "'"});
  const uint32_t parts = options.stretch.IsGiven()
                             ? kAnalysisParts
                             : kPartDeps | kPartMessages | kPartTaskExtras | kPartStates;
  return WithTrace(options.trace, parts, [&](const TraceModel& model) {
    if (!detailed) {
      PrintLines(SummaryText(model, options.most));
      return Status::Ok();
    }
    std::optional<Span> stretch;
    StretchTime time;
    const RunClock clock(model);
    if (options.stretch.IsGiven()) {
      const Span all{0, std::max<int64_t>(model.duration_ns, 1)};
      const Result<Span> given = StretchOf(model, clock, all, options.stretch);
      if (!given.ok()) return given.status();
      stretch = *given;
      time = TimeWithin(ExplainIdleness(model), *stretch);
    }
    const std::vector<StatisticsRow> rows =
        Statistics(model, *by, nullptr, options.internal, stretch);
    if (options.trace.json) {
      messages::PrintedStats answer{SummaryMessage(model, Summarize(model))};
      SetGroups(model, *by, rows, rows.size(), stretch, answer);
      if (stretch) answer.times_ns = TimesByCause(time);
      PrintLines(Dump(answer));
    } else if (options.csv) {
      PrintCsv(model, *by, rows);
    } else {
      if (stretch) PrintTimes(clock, time, *stretch);
      PrintTable(model, *by, rows, options.most);
    }
    return Status::Ok();
  });
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  DeclareTraceArguments(cli, options->trace);
  cli.Add("--by codelet|line|worker|kind|size|state", options->by, "group durations by this");
  DeclareStretchArguments(cli, options->stretch);
  cli.Add("--most,--sites", options->most, "how many lines to list as text").ShowDefault();
  cli.Flag("--internal", options->internal, "count the runtime's own tasks as well")
      .Needs(cli.Find("--by"));
  cli.Flag("--csv", options->csv, "print comma-separated values").Excludes(cli.Find("--json"));
  cli.Example("tasklens stats --by codelet --from 0 --to 20ms");
  return [options] { return Stats(*options); };
}

}  // namespace

extern const CommandSpec kStatsCommand = {
    "stats",
    "summarise a run: tasks, workers, span, durations by line, codelet, size, worker or state",
    &Declare};

}  // namespace tasklens
