// SPDX-License-Identifier: Apache-2.0
// tasklens compare: what became slower between runs, and where.
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
};

std::string SignedText(double ns) {
  return (ns < 0 ? "-" : "+") + DurationText(static_cast<int64_t>(std::fabs(ns)));
}

void Print(const std::vector<Change>& changes, size_t most) {
  for (const Change& change : std::span(changes).first(std::min(most, changes.size()))) {
    PrintText("  {:<12} {:>9}  {}", VerdictName(change.verdict), SignedText(change.change_ns()),
              change.label);
    if (change.before.count > 0 && change.after.count > 0)
      PrintText(": {} x {} -> {} x {} (mean {} ± {})", CountText(change.before.count),
                DurationText(static_cast<int64_t>(change.before.mean_ns)),
                CountText(change.after.count),
                DurationText(static_cast<int64_t>(change.after.mean_ns)),
                SignedText(change.after.mean_ns - change.before.mean_ns),
                DurationText(static_cast<int64_t>(change.standard_error_ns)));
    PrintText("\n");
  }
  if (changes.size() > most)
    PrintText("  and {} more; --most shows them\n", CountText(changes.size() - most));
}

// One line for each thing that became longer by more than `threshold` percent.
std::vector<std::string> Regressions(const std::string& name, const RunSummary& old_run,
                                     const RunSummary& new_run, const std::vector<Change>& changes,
                                     double threshold) {
  std::vector<std::string> lines;
  auto check = [&](const std::string& what, double before, double after) {
    const double percent = before > 0 ? 100 * (after / before - 1) : 0;
    if (percent > threshold)
      lines.push_back(
          fmt::format("{}: {} is {:.1f} % longer ({} -> {}), more than the {} % of --threshold",
                      name, what, percent, DurationText(static_cast<int64_t>(before)),
                      DurationText(static_cast<int64_t>(after)), threshold));
  };
  check("the span", static_cast<double>(old_run.span_ns), static_cast<double>(new_run.span_ns));
  for (const Change& change : changes)
    if (change.verdict == Verdict::kSlower)
      check("the mean of " + change.label, change.before.mean_ns, change.after.mean_ns);
  return lines;
}

Result<TraceModel> LoadOne(const std::string& path) {
  Diagnostics diags;
  Result<TraceModel> model = LoadWithProgress({&path, 1}, diags, kPartStates);
  ReportDiagnostics(diags, false);
  return model;
}

int RunCompare(const Options& options) {
  const std::optional<StatisticsBy> by = ParseStatisticsBy(options.by);
  if (!by || options.traces.size() < 2)
    return Fail(
        {ErrorCode::kInvalidArgument,
         by ? "compare: name two traces or more, the one to compare with first"
            : "compare: --by is codelet, site, worker, kind or state, not '" + options.by + "'"});
  const Result<TraceModel> before = LoadOne(options.traces.front());
  if (!before.ok()) return Fail(before.status());
  nlohmann::ordered_json answer = nlohmann::ordered_json::array();
  std::vector<std::string> regressions;
  for (size_t i = 1; i < options.traces.size(); ++i) {
    const Result<TraceModel> after = LoadOne(options.traces[i]);
    if (!after.ok()) return Fail(after.status());
    const std::vector<Change> changes = Compare(*before, *after, *by);
    const RunSummary old_run = Summarize(*before), new_run = Summarize(*after);
    if (options.threshold >= 0)
      for (std::string& line :
           Regressions(options.traces[i], old_run, new_run, changes, options.threshold))
        regressions.push_back(std::move(line));
    if (options.json) {
      answer.push_back({{"before", options.traces.front()},
                        {"after", options.traces[i]},
                        {"span_before_ns", old_run.span_ns},
                        {"span_after_ns", new_run.span_ns},
                        {"by", options.by},
                        {"changes", ChangesAnswer(changes)}});
      continue;
    }
    PrintText("{} -> {}: span {} -> {} ({})\n", options.traces.front(), options.traces[i],
              DurationText(old_run.span_ns), DurationText(new_run.span_ns),
              SignedText(static_cast<double>(new_run.span_ns - old_run.span_ns)));
    Print(changes, options.most);
  }
  if (options.json) PrintLines(Dump({{"comparisons", answer}, {"regressions", regressions}}));
  for (const std::string& line : regressions)
    std::fprintf(stderr, "tasklens: %s\n", Printable(line).c_str());
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
  app.add_option("--threshold", options->threshold,
                 "exit 3 when the span, or the mean of a group that is slower beyond noise, is "
                 "longer by more than so many percent")
      ->type_name("PERCENT")
      ->check([](const std::string& text) {
        double percent = 0;
        const bool is_number = CLI::detail::lexical_cast(text, percent);
        return is_number && std::isfinite(percent) && percent >= 0
                   ? std::string()
                   : "must be a number of percent, 0 or more, not " + text;
      });
  app.add_option("--most", options->most, "how many groups to print as text")
      ->capture_default_str();
  app.add_flag("--json", options->json, "print JSON");
  return [options] { return RunCompare(*options); };
}

}  // namespace

extern const CommandSpec kCompareCommand = {
    "compare", "what became slower between runs, beyond noise", &Declare};

}  // namespace tasklens
