// SPDX-License-Identifier: Apache-2.0
// tasklens compare: what takes more time between runs, where, and whether in more tasks or longer.
#include "analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "analysis/sites.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/tools/command.h"
#include "server/tools/print_text.h"
#include "server/tools/summary.h"
#include "server/tools/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  std::vector<std::string> traces;
  std::string by = "site";
  size_t most = 20;
  double threshold = -1;  // percent; below 0: none
  bool json = false;
  bool strict = false;
};

struct Run {
  std::string path;
  TraceModel model;
  RunSummary summary;
  bool complete;  // nothing of it is missing
};

std::string SignedText(double ns) {
  return (ns < 0 ? "-" : "+") + DurationText(static_cast<int64_t>(std::fabs(ns)));
}

std::string NoiseText(double error_ns) {
  return error_ns > 0 ? " ± " + DurationText(static_cast<int64_t>(error_ns)) : "";
}

// "+5 ms more tasks, -1 ms ± 0.2 ms shorter tasks"
std::string PartsText(double by_count_ns, double count_error_ns, double by_duration_ns,
                      double duration_error_ns, std::string_view noun) {
  return fmt::format("{}{} {} {}, {}{} {} {}", SignedText(by_count_ns), NoiseText(count_error_ns),
                     by_count_ns < 0 ? "fewer" : "more", noun, SignedText(by_duration_ns),
                     NoiseText(duration_error_ns), by_duration_ns < 0 ? "shorter" : "longer", noun);
}

std::string SideText(const DurationSummary& side) {
  return fmt::format("{} ({} x {})", DurationText(side.total_ns), CountText(side.count),
                     DurationText(static_cast<int64_t>(side.mean_ns)));
}

void Print(const std::vector<Change>& changes, StatisticsBy by, size_t most) {
  const std::string_view noun = by == StatisticsBy::kState ? "states" : "tasks";
  for (const Change& change : std::span(changes).first(std::min(most, changes.size()))) {
    const std::string moved =
        change.label_before.empty() ? "" : fmt::format(" (was {})", change.label_before);
    PrintText("  {:<12} {:>9}  {}{}: {} -> {}", VerdictName(change.verdict),
              SignedText(change.change_ns()), change.label, moved, SideText(change.before),
              SideText(change.after));
    if (change.before.count > 0 && change.after.count > 0)
      PrintText(": {}", PartsText(change.by_count_ns, change.by_count_error_ns,
                                  change.by_duration_ns, change.by_duration_error_ns, noun));
    PrintText("\n");
  }
  if (changes.size() > most)
    PrintText("  and {} more; --most shows them\n", CountText(changes.size() - most));
}

// One line for each thing that grew by more than `threshold` percent: the span, the mean of tasks
// that are longer beyond noise, and what a group, or all of them, take in more and longer tasks
// beyond noise. A group that only one run has is judged in the total: lines move when a file is
// edited.
std::vector<std::string> Regressions(const std::string& name, const RunSummary& old_run,
                                     const RunSummary& new_run, const std::vector<Change>& changes,
                                     StatisticsBy by, double threshold) {
  std::vector<std::string> lines;
  // Whether `what` grew too much.
  const auto check = [&](const std::string& what, double before, double after,
                         const std::string& how = "") {
    const double percent = before > 0 ? 100 * (after / before - 1) : 0;
    if (!(percent > threshold)) return false;
    lines.push_back(
        fmt::format("{}: {} is {:.1f} % longer ({} -> {}{}), more than the {} % of --threshold",
                    name, what, percent, DurationText(static_cast<int64_t>(before)),
                    DurationText(static_cast<int64_t>(after)), how, threshold));
    return true;
  };
  // What is beyond noise, so that noise alone never fails, and no more than what was gained in all.
  const auto check_total = [&](const std::string& what, double before, const auto& change,
                               double beyond_noise_ns) {
    return check(what, before, before + std::min(beyond_noise_ns, change.change_ns()),
                 " beyond noise: " + PartsText(change.by_count_ns, change.by_count_error_ns,
                                               change.by_duration_ns, change.by_duration_error_ns,
                                               by == StatisticsBy::kState ? "states" : "tasks"));
  };
  check("the span", static_cast<double>(old_run.span_ns), static_cast<double>(new_run.span_ns));
  if (by != StatisticsBy::kState) {
    const TotalChange total = SumOf(changes);
    check_total("the total of all tasks", static_cast<double>(total.before_ns), total,
                total.beyond_noise_ns);
  }
  for (const Change& change : changes) {
    if (check_total("the total of " + change.label, static_cast<double>(change.before.total_ns),
                    change, change.beyond_noise_ns()))
      continue;
    if (change.duration_verdict == Verdict::kSlower)
      check("the mean of " + change.label, change.before.mean_ns, change.after.mean_ns);
  }
  return lines;
}

Result<Run> LoadOne(const std::string& path) {
  Diagnostics diags;
  Result<TraceModel> model = LoadWithProgress({&path, 1}, diags, kPartStates);
  ReportDiagnostics(diags, false);
  if (!model.ok()) return model.status();
  const RunSummary summary = Summarize(*model);
  return Run{path, std::move(*model), summary, !diags.HasDataLoss()};
}

nlohmann::ordered_json ComparisonAnswer(const Run& before, const Run& after, StatisticsBy by,
                                        const std::vector<Change>& changes) {
  return {{"before", before.path},
          {"after", after.path},
          {"span_before_ns", before.summary.span_ns},
          {"span_after_ns", after.summary.span_ns},
          {"by", StatisticsByName(by)},
          {"complete", before.complete && after.complete},
          {"total", TotalChangeAnswer(by, changes)},
          {"changes", ChangesAnswer(changes)}};
}

void PrintComparison(const Run& before, const Run& after, StatisticsBy by,
                     const std::vector<Change>& changes, size_t most) {
  const RunSummary &old_run = before.summary, &new_run = after.summary;
  PrintText("{} -> {}: span {} -> {} ({})\n", before.path, after.path,
            DurationText(old_run.span_ns), DurationText(new_run.span_ns),
            SignedText(static_cast<double>(new_run.span_ns - old_run.span_ns)));
  if (by != StatisticsBy::kState) {
    const TotalChange total = SumOf(changes);
    PrintText("all tasks: {} ({}) -> {} ({}), {}: {}\n", DurationText(total.before_ns),
              CountText(total.count_before), DurationText(total.after_ns),
              CountText(total.count_after), SignedText(total.change_ns()),
              PartsText(total.by_count_ns, total.by_count_error_ns, total.by_duration_ns,
                        total.by_duration_error_ns, "tasks"));
  }
  Print(changes, by, most);
}

int RunCompare(const Options& options) {
  const std::optional<StatisticsBy> by = ParseStatisticsBy(options.by);
  if (!by || options.traces.size() < 2)
    return Fail(
        {ErrorCode::kInvalidArgument,
         by ? "compare: name two traces or more, the one to compare with first"
            : "compare: --by is codelet, site, worker, kind or state, not '" + options.by + "'"});
  const Result<Run> before = LoadOne(options.traces.front());
  if (!before.ok()) return Fail(before.status());
  nlohmann::ordered_json answer = nlohmann::ordered_json::array();
  std::vector<std::string> regressions;
  bool incomplete = !before->complete;
  for (size_t i = 1; i < options.traces.size(); ++i) {
    const Result<Run> after = LoadOne(options.traces[i]);
    if (!after.ok()) return Fail(after.status());
    incomplete |= !after->complete;
    const std::vector<Change> changes = Compare(before->model, after->model, *by);
    if (options.threshold >= 0)
      for (std::string& line : Regressions(options.traces[i], before->summary, after->summary,
                                           changes, *by, options.threshold))
        regressions.push_back(std::move(line));
    if (options.json)
      answer.push_back(ComparisonAnswer(*before, *after, *by, changes));
    else
      PrintComparison(*before, *after, *by, changes, options.most);
  }
  if (options.json) PrintLines(Dump({{"comparisons", answer}, {"regressions", regressions}}));
  for (const std::string& line : regressions)
    std::fprintf(stderr, "tasklens: %s\n", Printable(line).c_str());
  if (incomplete && options.threshold >= 0)
    std::fprintf(
        stderr,
        "tasklens: warning: something of a trace is missing, so --threshold judged what is "
        "left%s\n",
        options.strict ? "" : "; --strict makes that a failure");
  if (incomplete && options.strict) return kExitFault;
  return regressions.empty() ? kExitDone : kExitRegression;
}

std::function<int()> Declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("trace", options->traces,
                 "two traces or more, each a file or a folder of ranks; the first is compared with "
                 "each of the others")
      ->required();
  app.add_option("--by", options->by, "what to compare")
      ->type_name("codelet|site|worker|kind|state")
      ->capture_default_str();
  app.add_option(
         "--threshold", options->threshold,
         "exit 3 when the span, the total of a group or of all tasks (in more tasks or "
         "longer ones, beyond noise), or a mean beyond noise is longer by more than so many "
         "percent")
      ->type_name("PERCENT")
      ->check([](const std::string& text) {
        double percent = 0;
        const bool is_number = CLI::detail::lexical_cast(text, percent);
        return is_number && std::isfinite(percent) && percent >= 0
                   ? std::string()
                   : "must be a number of percent, 0 or more, not " + text;
      });
  app.add_option("--most", options->most, "how many groups to print as text")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 32))
      ->capture_default_str();
  app.add_flag("--json", options->json, "print JSON");
  app.add_flag("--strict", options->strict, "exit 1 when something of a trace is missing");
  return [options] { return RunCompare(*options); };
}

}  // namespace

extern const CommandSpec kCompareCommand = {
    "compare", "what takes more time between runs, beyond noise", &Declare};

}  // namespace tasklens
