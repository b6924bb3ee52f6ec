// SPDX-License-Identifier: Apache-2.0
// Reads traces with progress, and formats summaries and problems.
#include "server/command_line/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "analysis/sites.h"
#include "analysis/text.h"
#include "converters/formats.h"
#include "converters/rank_word.h"
#include "server/command_line/command.h"
#include "server/command_line/terminal_progress.h"
#include "trace/support/printable.h"

namespace tasklens {
namespace {

// "gemm", or "gemm and 3 more names".
std::string NamesText(const TraceModel& model, const SiteCost& cost) {
  std::string text = Printable(model.str(cost.names.front()));
  if (text.empty()) text = "unknown";
  if (cost.names.size() > 1)
    text += fmt::format(" and {}", CountText(cost.names.size() - 1, "more name"));
  return text;
}

std::string Plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", CountText(count), noun, count == 1 ? "" : "s");
}

}  // namespace

Result<TraceModel> LoadWithProgress(std::span<const std::string> paths, Diagnostics& diags,
                                    uint32_t parts, std::shared_ptr<ScratchFile> scratch) {
  TerminalProgress progress("reading " + (paths.empty() ? "" : paths.front()) +
                            (paths.size() > 1 ? ", ..." : ""));
  return LoadPaths(paths, diags, parts, &progress, std::move(scratch));
}

std::string BytesText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  if (bytes < 1000) return CountText(bytes, "byte");
  size_t unit = 0;
  for (value /= 1000; value >= 999.5 && unit + 1 < std::size(kUnits); value /= 1000) ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", value < 9.95 ? 1 : 0, value, kUnits[unit]);
  return text;
}

std::string SummaryText(const TraceModel& model, size_t most_sites) {
  const RunSummary run = Summarize(model);
  std::string text = Plural(run.tasks, "task");
  if (run.submissions > run.tasks) text += ", " + Plural(run.submissions, "submission");
  if (run.executions > run.tasks) text += ", " + Plural(run.executions, "execution");
  text += ", " + Plural(run.workers, "worker");
  if (run.ranks > 1) text += fmt::format(", {}", Plural(run.ranks, RankWord(model)));
  if (run.ran > 0)
    text += fmt::format(", span {}, efficiency {}", DurationText(run.span_ns),
                        ShareText(run.Efficiency()));
  text += "\n";
  if (run.ran < run.tasks)
    text += fmt::format("{} did not run\n", Plural(run.tasks - run.ran, "task"));

  const auto row = [&](int64_t total_ns, uint64_t tasks, int64_t mean_ns, std::string_view what) {
    const double share =
        run.busy_ns > 0 ? static_cast<double>(total_ns) / static_cast<double>(run.busy_ns) : 0;
    text += fmt::format("{:>7} {:>8} {:>12} x {:>8}  {}\n", ShareText(share),
                        DurationText(total_ns), CountText(tasks), DurationText(mean_ns), what);
  };
  const std::vector<SiteCost> costs = CostBySite(model);
  if (!costs.empty() || run.no_line > 0)
    text +=
        fmt::format("{:>7} {:>8} {:>12}   {:>8}  {}\n", "share", "total", "tasks", "mean", "line");
  const size_t shown = std::min(most_sites, costs.size());
  for (const SiteCost& cost : std::span(costs).first(shown))
    row(cost.total_ns, std::max(cost.tasks, cost.runs), cost.MeanNs(),
        fmt::format("{}:{}  {}{}", Printable(model.str(model.sites.file[cost.site])),
                    model.sites.line[cost.site], NamesText(model, cost),
                    cost.runs > cost.tasks ? ", " + Plural(cost.tasks, "task") : ""));
  if (shown < costs.size())
    text += fmt::format("and {}\n", CountText(costs.size() - shown, "more line"));
  if (run.no_line > 0)
    row(run.no_line_ns, run.no_line, run.no_line_ns / static_cast<int64_t>(run.no_line), "no line");
  return text;
}

int ReportDiagnostics(const Diagnostics& diags, bool strict) {
  std::fputs(diags.Summary().c_str(), stderr);
  // These files were complete when they were written, so an unknown amount is missing. (Other files
  // that end early are not listed: an FxT file ends anywhere if its program was killed, and our own
  // files then report that they were not closed.)
  for (const std::string_view cut : {"prv_truncated", "tlt_truncated"}) {
    const auto found = diags.counts().find(cut);
    if (found == diags.counts().end()) continue;
    std::fprintf(stderr,
                 "tasklens: the trace is cut off (%s): everything after this point is missing, and "
                 "tasks and states that were under way there may seem to last until the end\n",
                 Printable(found->second.first_where).c_str());
    return kExitFault;
  }
  return strict && diags.HasDataLoss() ? kExitFault : kExitDone;
}

}  // namespace tasklens
