// SPDX-License-Identifier: Apache-2.0
// tasklens compare: shows what takes more time in one run than in another, and whether because of
// more tasks or longer ones.
#include "analysis/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "analysis/regressions.h"
#include "analysis/sites.h"
#include "analysis/text.h"
#include "server/answers/answers.h"
#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/run_store.h"
#include "server/command_line/summary.h"
#include "server/command_line/terminal.h"
#include "server/command_line/trace_command.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

struct Options {
  std::vector<std::string> traces;
  std::vector<std::string> before;  // empty: `traces` begins with the run before
  std::string by = "line";
  size_t most = 20;
  double threshold = -1;  // percent; below 0: none
  bool json = false;
  bool strict = false;
};

struct Run {
  std::string path;
  TraceModel model;
  RunSummary summary;
  bool complete;  // no data was lost
};

std::string SignedText(double ns) {
  return (ns < 0 ? "-" : "+") + DurationText(static_cast<int64_t>(std::fabs(ns)));
}

// " ± 61.6 ms", with a remark if the change is not larger. "" if there is no noise.
std::string NoiseText(double change_ns, double noise_ns) {
  if (noise_ns == 0) return "";
  if (std::isinf(noise_ns)) return "";  // a single task in each run: the noise is unknown
  return " ± " + DurationText(std::llround(noise_ns)) +
         (std::fabs(change_ns) > noise_ns ? "" : " (not significant)");
}

// Returns "more", "fewer", or `same` for no change.
std::string_view WordOf(double change_ns, std::string_view more, std::string_view fewer,
                        std::string_view same) {
  return change_ns > 0 ? more : change_ns < 0 ? fewer : same;
}

// "+5 ms by more tasks, -1 ms ± 0.2 ms by shorter tasks"; "-1 ms ± 0.2 ms" if the number of tasks
// is the same.
std::string PartsText(double by_count_ns, double count_noise_ns, double by_duration_ns,
                      double duration_noise_ns, std::string_view noun) {
  const std::string by_duration =
      SignedText(by_duration_ns) + NoiseText(by_duration_ns, duration_noise_ns);
  if (by_count_ns == 0) return by_duration;
  if (by_duration_ns == 0 && duration_noise_ns == 0)
    return fmt::format("{}{} by {} {}", SignedText(by_count_ns),
                       NoiseText(by_count_ns, count_noise_ns),
                       WordOf(by_count_ns, "more", "fewer", "as many"), noun);
  return fmt::format("{}{} by {} {}, {} by {} {}", SignedText(by_count_ns),
                     NoiseText(by_count_ns, count_noise_ns),
                     WordOf(by_count_ns, "more", "fewer", "as many"), noun, by_duration,
                     WordOf(by_duration_ns, "longer", "shorter", "equal"), noun);
}

std::string PText(double p) { return p < 0.01 ? "p < 0.01" : fmt::format("p {:.2g}", p); }

// The reason for the verdict about the typical task: "median 119 µs -> 145 µs, +22 %, p < 0.01".
std::string TypicalText(const Change& change) {
  const int64_t before_ns = change.before.median_ns(), after_ns = change.after.median_ns();
  std::string text =
      change.before.count == 1 && change.after.count == 1
          ? ""
          : fmt::format("median {} -> {}, ", DurationText(before_ns), DurationText(after_ns));
  if (change.duration_verdict == Verdict::kTooFew)
    return text + "one task in each run, so its noise is not known";
  const int direction = change.Direction();
  // If the durations have two peaks, the median and the typical task may move in opposite
  // directions. Then the shift is shown instead.
  const bool is_of_medians =
      direction == 0 || static_cast<double>(after_ns - before_ns) * direction > 0;
  if (!is_of_medians || text.empty())
    text += fmt::format("typically {}, ", SignedText(static_cast<double>(change.shift.ns)));
  if (is_of_medians && before_ns > 0)
    text += fmt::format("{:+.{}f} %, ",
                        100 * (static_cast<double>(after_ns) / static_cast<double>(before_ns) - 1),
                        std::abs(after_ns - before_ns) * 10 < before_ns ? 1 : 0);
  return text + PText(change.p);
}

// The name of the verdict, with `noun` in place of "tasks".
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

Ink InkOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSlower:
    case Verdict::kSomeLonger:
    case Verdict::kEachLonger:
    case Verdict::kMoreTasks: return Ink::kRed;
    case Verdict::kFaster:
    case Verdict::kSomeShorter:
    case Verdict::kEachShorter:
    case Verdict::kFewerTasks: return Ink::kGreen;
    default: return Ink::kFaint;
  }
}

void Print(const std::vector<Change>& changes, StatisticsBy by, size_t most) {
  const std::string_view noun = by == StatisticsBy::kState ? "states" : "tasks";
  for (const Change& change : std::span(changes).first(std::min(most, changes.size()))) {
    const std::string moved =
        change.label_before.empty() ? "" : fmt::format(" (was {})", change.label_before);
    PrintLines("  " + Painted(fmt::format("{:<12}", VerdictText(change.verdict, noun)),
                              InkOf(change.verdict)));
    PrintText(" {:>9}  {}{}: {} -> {}", SignedText(change.change_ns()), change.label, moved,
              SideText(change.before), SideText(change.after));
    if (change.before.count > 0 && change.after.count > 0)
      PrintText(": {}; total {}", TypicalText(change),
                PartsText(change.by_count_ns, change.by_count_noise_ns, change.by_duration_ns,
                          change.by_duration_noise_ns, noun));
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

// The judgement by --threshold, one line each.
struct Said {
  std::vector<std::string> regressions, remarks;

  void Add(const std::string& name, const Judgement& judgement, double threshold) {
    for (const Regression& regression : judgement.regressions)
      regressions.push_back(fmt::format("{}: {}, more than the {} % of --threshold", name,
                                        GrownText(regression), threshold));
    if (judgement.span)
      remarks.push_back(name + ": " + GrownText(*judgement.span) +
                        ", which no change of tasks or pauses beyond noise explains; it may be "
                        "noise: give more runs with --before");
    if (judgement.unjudged.empty()) return;
    constexpr size_t kMostNamed = 5;
    const auto& unjudged = judgement.unjudged;
    const size_t named = std::min(unjudged.size(), kMostNamed);
    std::string names = fmt::format("{}", fmt::join(std::span(unjudged).first(named), ", "));
    if (unjudged.size() > named) names += fmt::format(" and {} more", unjudged.size() - named);
    remarks.push_back(
        fmt::format("{}: not judged, as the noise of a single task is not known: {}", name, names));
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

messages::Comparison ComparisonAnswer(const Run& before, const Run& after, StatisticsBy by,
                                      const std::vector<Change>& changes) {
  messages::Comparison comparison = ComparisonMessage(by, changes, changes.size());
  comparison.before = before.path;
  comparison.after = after.path;
  comparison.span_before_ns = before.summary.span_ns;
  comparison.span_after_ns = after.summary.span_ns;
  comparison.complete = before.complete && after.complete;
  return comparison;
}

// Returns a warning if the runs share no submission site, else "". If they share codelets, only a
// comparison by site needs the warning.
std::string StrangerText(const Run& before, const Run& after, StatisticsBy by,
                         const std::vector<Change>& changes) {
  const auto is_stranger = [&](StatisticsBy of) {
    return of == by ? HaveNothingInCommon(changes)
                    : HaveNothingInCommon(Compare(before.model, after.model, of));
  };
  if (!is_stranger(StatisticsBy::kSite)) return "";
  if (!is_stranger(StatisticsBy::kCodelet))
    return by == StatisticsBy::kSite ? "the runs share no source line, but they share codelets: "
                                       "compare them with --by codelet"
                                     : "";
  return "the runs share neither a source line nor a codelet: are they runs of the same program?";
}

void PrintComparison(const Run& before, const Run& after, StatisticsBy by,
                     const std::vector<Change>& changes, size_t most) {
  const RunSummary &old_run = before.summary, &new_run = after.summary;
  PrintText("{} -> {}: span {} -> {} ({})\n", before.path, after.path,
            DurationText(old_run.span_ns), DurationText(new_run.span_ns),
            SignedText(static_cast<double>(new_run.span_ns - old_run.span_ns)));
  if (by != StatisticsBy::kState) {
    const TotalChange total = SumOf(changes);
    // A parallel task counts for each of its workers.
    PrintText("{}: {} ({}) -> {} ({}), {}: {}\n",
              by == StatisticsBy::kWorker ? "all workers in tasks" : "all tasks",
              DurationText(total.before_ns), CountText(total.count_before),
              DurationText(total.after_ns), CountText(total.count_after),
              SignedText(total.change_ns()),
              PartsText(total.by_count_ns, total.by_count_noise_ns, total.by_duration_ns,
                        total.by_duration_noise_ns, "tasks"));
  }
  if (const std::string stranger = StrangerText(before, after, by, changes); !stranger.empty())
    PrintText("{}\n", stranger);
  Print(changes, by, most);
}

std::vector<messages::PrintedFigure> FigureMessages(const RunFigures& figures) {
  std::vector<messages::PrintedFigure> rows;
  for (const auto& [what, figure] : figures) {
    messages::PrintedFigure& row = rows.emplace_back();
    row.what = what;
    row.runs_before = figure.before_ns.size();
    row.runs_after = figure.after_ns.size();
    row.before_ns = std::llround(figure.BeforeNs());
    row.after_ns = std::llround(figure.AfterNs());
    if (row.runs_before > 1 || row.runs_after > 1) row.noise_ns = std::llround(figure.NoiseNs());
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

// Selects the newest run and the run before it if no trace is named.
Status NameNewest(Options& options) {
  if (!options.traces.empty() || !options.before.empty()) return Status::Ok();
  const std::vector<std::string> runs = NewestRuns();
  if (runs.size() < 2)
    return Status(ErrorCode::kInvalidArgument,
                  "compare: name two or more traces, the one to compare with first; .tasklens/runs "
                  "holds fewer than two runs");
  std::fprintf(stderr, "tasklens: newest runs: %s, %s\n", Printable(runs[1]).c_str(),
               Printable(runs[0]).c_str());
  options.traces = {runs[1], runs[0]};
  return Status::Ok();
}

// Prints the judgement on standard error. Returns the exit status.
int EndWith(const Said& said, bool incomplete, const Options& options) {
  for (const std::vector<std::string>& lines : {said.regressions, said.remarks})
    for (const std::string& line : lines)
      std::fprintf(stderr, "tasklens: %s\n", Printable(line).c_str());
  if (incomplete && options.threshold >= 0)
    std::fprintf(stderr,
                 "tasklens: warning: a trace is incomplete, so --threshold judged only what was "
                 "recorded%s\n",
                 options.strict ? "" : "; --strict makes this a failure");
  if (incomplete && options.strict) return kExitFault;
  return said.regressions.empty() ? kExitDone : kExitRegression;
}

void Judge(const Run& before, const Run& after, StatisticsBy by, const std::vector<Change>& changes,
           double threshold, Said& said) {
  if (const std::string stranger = StrangerText(before, after, by, changes); !stranger.empty())
    said.remarks.push_back(after.path + ": " + stranger);
  said.Add(after.path,
           JudgePair(before.summary, after.summary, changes, by,
                     Compare(before.model, after.model, StatisticsBy::kState), threshold),
           threshold);
}

int RunCompare(Options options) {
  if (Status s = NameNewest(options); !s.ok()) return Fail(s);
  const std::optional<StatisticsBy> by = ParseStatisticsBy(options.by);
  const bool is_of_runs = !options.before.empty();
  if (!by || options.traces.size() + options.before.size() < 2)
    return Fail({ErrorCode::kInvalidArgument,
                 by ? "compare: name two or more traces, the one to compare with first"
                    : "compare: --by takes codelet, line, worker, kind, size or state, not '" +
                          options.by + "'"});
  const Result<Run> before = LoadOne(is_of_runs ? options.before[0] : options.traces[0]);
  if (!before.ok()) return Fail(before.status());
  messages::PrintedCompare answer;
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
      Judge(*before, *after, *by, changes, options.threshold, said);
    if (options.json)
      answer.comparisons.push_back(ComparisonAnswer(*before, *after, *by, changes));
    else
      PrintComparison(*before, *after, *by, changes, options.most);
  }
  if (is_of_runs && options.threshold >= 0)
    said.Add("the runs", JudgeRuns(figures, options.threshold), options.threshold);
  if (options.json) {
    answer.regressions = said.regressions;
    answer.remarks = said.remarks;
    answer.figures = FigureMessages(figures);
    PrintLines(Dump(answer));
  } else if (is_of_runs) {
    PrintFigures(figures, options.most);
  }
  return EndWith(said, incomplete, options);
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Footer(
      "The verdict is about the typical task: its median, and p, the probability of such a "
      "difference by\nchance. A difference counts if p is below 0.01. The total is judged "
      "separately: chance alone exceeds\nits noise once in a hundred comparisons.");
  cli.Example("tasklens compare --threshold 10 before.tlt after.tlt");
  cli.Add(
      "trace", options->traces,
      "two or more traces, each a file or a folder of ranks; the first is compared with each of "
      "the others; with --before, all are runs after the change (default: the two newest runs)");
  cli.Add("--before TRACE", options->before,
          "a run before the change (repeatable); with several runs before or after it, --threshold "
          "takes their differences as the noise");
  cli.Add("--by codelet|line|worker|kind|size|state", options->by, "what to compare").ShowDefault();
  cli.Add(
         "--threshold PERCENT", options->threshold,
         "exit with status 3 if the typical task of a group, or the time in more or longer tasks, "
         "grew beyond noise and by more than PERCENT; the span counts if this explains half of its "
         "growth, or if there are several runs on a side")
      .Check([](const std::string& text) {
        double percent = 0;
        return ReadNumber(text, percent) && percent >= 0
                   ? std::string()
                   : "takes a percentage, 0 or more, not " + text;
      });
  cli.Add("--most", options->most, "how many groups to print as text").ShowDefault();
  cli.Flag("--json", options->json, "print JSON");
  cli.Flag("--strict", options->strict, "exit with status 1 if a trace is incomplete");
  return [options] { return RunCompare(*options); };
}

}  // namespace

extern const CommandSpec kCompareCommand = {
    "compare", "compare runs, and show what takes longer beyond noise", &Declare};

}  // namespace tasklens
