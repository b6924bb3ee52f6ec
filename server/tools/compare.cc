// SPDX-License-Identifier: Apache-2.0
// tasklens compare: what takes more time between runs, where, and whether in more tasks or longer.
#include "analysis/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "analysis/regressions.h"
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
  std::vector<std::string> before;  // {}: the first of traces
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

// "more", "fewer" or, of no change, "as many".
std::string_view WordOf(double change_ns, std::string_view more, std::string_view fewer,
                        std::string_view same) {
  return change_ns > 0 ? more : change_ns < 0 ? fewer : same;
}

// "+5 ms more tasks, -1 ms ± 0.2 ms shorter tasks"
std::string PartsText(double by_count_ns, double count_error_ns, double by_duration_ns,
                      double duration_error_ns, std::string_view noun) {
  return fmt::format("{}{} {} {}, {}{} {} {}", SignedText(by_count_ns), NoiseText(count_error_ns),
                     WordOf(by_count_ns, "more", "fewer", "as many"), noun,
                     SignedText(by_duration_ns), NoiseText(duration_error_ns),
                     WordOf(by_duration_ns, "longer", "shorter", "as long"), noun);
}

// The verdict's name, of states where it is about these.
std::string VerdictText(Verdict verdict, std::string_view noun) {
  std::string text(VerdictName(verdict));
  constexpr std::string_view kTasks = " tasks";
  if (text.ends_with(kTasks)) text.replace(text.size() - kTasks.size() + 1, text.npos, noun);
  return text;
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
    PrintText("  {:<12} {:>9}  {}{}: {} -> {}", VerdictText(change.verdict, noun),
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

std::string ExactText(double ns) { return DurationText(std::llround(ns)); }

// "the span is 15.6 % longer (1.00 s -> 1.16 s)"
std::string GrownText(const Regression& regression) {
  std::string how;
  if (regression.is_beyond_noise) how = " beyond noise";
  if (regression.shift)
    how = fmt::format(", between {} and {} longer", DurationText(regression.shift->low_ns),
                      DurationText(regression.shift->high_ns));
  if (regression.noise_ns) how = fmt::format("; noise {}", ExactText(*regression.noise_ns));
  return fmt::format("{} is {:.1f} % longer ({} -> {}{})", regression.what, regression.Percent(),
                     ExactText(regression.before_ns), ExactText(regression.after_ns), how);
}

// What is said of a threshold, one line each.
struct Said {
  std::vector<std::string> regressions, remarks;

  void Add(const std::string& name, const Judgement& judgement, double threshold) {
    for (const Regression& regression : judgement.regressions)
      regressions.push_back(fmt::format("{}: {}, more than the {} % of --threshold", name,
                                        GrownText(regression), threshold));
    if (judgement.span)
      remarks.push_back(name + ": " + GrownText(*judgement.span) +
                        ", but neither tasks nor pauses are beyond noise; one run before and one "
                        "after show no noise of a span, more of them do (--before)");
    if (judgement.unjudged.empty()) return;
    constexpr size_t kMostNamed = 5;
    const auto& unjudged = judgement.unjudged;
    const size_t named = std::min(unjudged.size(), kMostNamed);
    std::string names = fmt::format("{}", fmt::join(std::span(unjudged).first(named), ", "));
    if (unjudged.size() > named) names += fmt::format(" and {} more", unjudged.size() - named);
    remarks.push_back(
        fmt::format("{}: not judged, as so few tasks and runs show no noise: {}", name, names));
  }
};

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
    // A parallel task is a part of each of its workers' time.
    PrintText("{}: {} ({}) -> {} ({}), {}: {}\n",
              by == StatisticsBy::kWorker ? "all workers in tasks" : "all tasks",
              DurationText(total.before_ns), CountText(total.count_before),
              DurationText(total.after_ns), CountText(total.count_after),
              SignedText(total.change_ns()),
              PartsText(total.by_count_ns, total.by_count_error_ns, total.by_duration_ns,
                        total.by_duration_error_ns, "tasks"));
  }
  Print(changes, by, most);
}

nlohmann::ordered_json FiguresAnswer(const RunFigures& figures) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [what, figure] : figures) {
    const bool is_noise_known = figure.before_ns.size() > 1 || figure.after_ns.size() > 1;
    rows.push_back(
        {{"what", what},
         {"runs_before", figure.before_ns.size()},
         {"runs_after", figure.after_ns.size()},
         {"before_ns", std::llround(figure.BeforeNs())},
         {"after_ns", std::llround(figure.AfterNs())},
         {"noise_ns", is_noise_known ? nlohmann::ordered_json(std::llround(figure.NoiseNs()))
                                     : nlohmann::ordered_json()}});
  }
  return rows;
}

void PrintFigures(const RunFigures& figures, size_t most) {
  std::vector<std::pair<double, std::string>> lines;
  for (const auto& [what, figure] : figures) {
    if (figure.before_ns.empty() || figure.after_ns.empty()) continue;
    const double grown_ns = figure.AfterNs() - figure.BeforeNs();
    lines.emplace_back(
        -std::fabs(grown_ns),
        fmt::format("  {:>9} ± {}  {}: {} -> {}", SignedText(grown_ns), ExactText(figure.NoiseNs()),
                    what, ExactText(figure.BeforeNs()), ExactText(figure.AfterNs())));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  PrintText("over the runs:\n");
  for (const auto& [order, line] : std::span(lines).first(std::min(most, lines.size())))
    PrintText("{}\n", line);
  if (lines.size() > most)
    PrintText("  and {} more; --most shows them\n", CountText(lines.size() - most));
}

int RunCompare(const Options& options) {
  const std::optional<StatisticsBy> by = ParseStatisticsBy(options.by);
  const bool is_of_runs = !options.before.empty();
  if (!by || options.traces.size() + options.before.size() < 2)
    return Fail(
        {ErrorCode::kInvalidArgument,
         by ? "compare: name two traces or more, the one to compare with first"
            : "compare: --by is codelet, site, worker, kind or state, not '" + options.by + "'"});
  const Result<Run> before = LoadOne(is_of_runs ? options.before[0] : options.traces[0]);
  if (!before.ok()) return Fail(before.status());
  nlohmann::ordered_json answer = nlohmann::ordered_json::array();
  Said said;
  RunFigures figures;
  bool incomplete = !before->complete;
  if (is_of_runs)
    AddRun(figures, Side::kBefore, before->summary, Compare(before->model, before->model, *by),
           *by);
  for (size_t i = 1; i < options.before.size(); ++i) {
    const Result<Run> other = LoadOne(options.before[i]);
    if (!other.ok()) return Fail(other.status());
    incomplete |= !other->complete;
    AddRun(figures, Side::kBefore, other->summary, Compare(before->model, other->model, *by), *by);
  }
  for (size_t i = is_of_runs ? 0 : 1; i < options.traces.size(); ++i) {
    const Result<Run> after = LoadOne(options.traces[i]);
    if (!after.ok()) return Fail(after.status());
    incomplete |= !after->complete;
    const std::vector<Change> changes = Compare(before->model, after->model, *by);
    if (is_of_runs)
      AddRun(figures, Side::kAfter, after->summary, changes, *by);
    else if (options.threshold >= 0)
      said.Add(
          options.traces[i],
          JudgePair(before->summary, after->summary, changes, *by,
                    Compare(before->model, after->model, StatisticsBy::kState), options.threshold),
          options.threshold);
    if (options.json)
      answer.push_back(ComparisonAnswer(*before, *after, *by, changes));
    else
      PrintComparison(*before, *after, *by, changes, options.most);
  }
  if (is_of_runs && options.threshold >= 0)
    said.Add("the runs", JudgeRuns(figures, options.threshold), options.threshold);
  if (options.json)
    PrintLines(Dump({{"comparisons", answer},
                     {"regressions", said.regressions},
                     {"remarks", said.remarks},
                     {"figures", FiguresAnswer(figures)}}));
  else if (is_of_runs)
    PrintFigures(figures, options.most);
  for (const std::vector<std::string>& lines : {said.regressions, said.remarks})
    for (const std::string& line : lines)
      std::fprintf(stderr, "tasklens: %s\n", Printable(line).c_str());
  if (incomplete && options.threshold >= 0)
    std::fprintf(
        stderr,
        "tasklens: warning: something of a trace is missing, so --threshold judged what is "
        "left%s\n",
        options.strict ? "" : "; --strict makes that a failure");
  if (incomplete && options.strict) return kExitFault;
  return said.regressions.empty() ? kExitDone : kExitRegression;
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Footer(
      "What follows a sign of plus and minus is one standard error of what stands before it. A "
      "verdict holds\nwhere chance alone would give such a difference less than once in a hundred "
      "comparisons.");
  cli.Add("trace", options->traces,
          "two traces or more, each a file or a folder of ranks; the first is compared with "
          "each of the others; with --before, all are runs after")
      .Required();
  cli.Add("--before", options->before,
          "a run before; given several times, or with several traces, what runs of one "
          "program differ by is the noise that --threshold knows")
      .Value("TRACE")
      .OneValueEach();
  cli.Add("--by", options->by, "what to compare")
      .Value("codelet|site|worker|kind|state")
      .ShowDefault();
  cli.Add("--threshold", options->threshold,
          "exit 3 when the typical task of a group is longer, or a total in more or longer "
          "tasks,  beyond noise and by more than so many percent; the span where "
          "these explain half of it, or over several runs")
      .Value("PERCENT")
      .Check([](const std::string& text) {
        double percent = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
        const bool is_number = error == std::errc() && end == text.data() + text.size();
        return is_number && std::isfinite(percent) && percent >= 0
                   ? std::string()
                   : "must be a number of percent, 0 or more, not " + text;
      });
  cli.Add("--most", options->most, "how many groups to print as text")
      .Range(0, int64_t{1} << 32)
      .ShowDefault();
  cli.Flag("--json", options->json, "print JSON");
  cli.Flag("--strict", options->strict, "exit 1 when something of a trace is missing");
  return [options] { return RunCompare(*options); };
}

}  // namespace

extern const CommandSpec kCompareCommand = {
    "compare", "what takes more time between runs, beyond noise", &Declare};

}  // namespace tasklens
