// SPDX-License-Identifier: Apache-2.0
// Text of a run's summary.
#include "server/tools/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "analysis/sites.h"
#include "analysis/text.h"
#include "converters/formats.h"
#include "server/tools/command.h"
#include "server/tools/terminal_progress.h"
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

std::string SummaryText(const TraceModel& model, size_t most_sites) {
  const RunSummary run = Summarize(model);
  std::string text =
      fmt::format("{}, {}", Plural(run.tasks, "task"), Plural(run.workers, "worker"));
  if (run.ranks > 1) text += fmt::format(", {}", Plural(run.ranks, "rank"));
  if (run.ran > 0)
    text += fmt::format(", span {}, efficiency {}", DurationText(run.span_ns),
                        ShareText(run.Efficiency()));
  text += "\n";
  if (run.ran < run.tasks)
    text += fmt::format("{} did not run\n", Plural(run.tasks - run.ran, "task"));

  const std::vector<SiteCost> costs = CostBySite(model);
  for (size_t i = 0; i < std::min(most_sites, costs.size()); ++i) {
    const SiteCost& cost = costs[i];
    const double share =
        run.busy_ns > 0 ? static_cast<double>(cost.total_ns) / static_cast<double>(run.busy_ns) : 0;
    text +=
        fmt::format("{:>7} {:>8} {:>12} x {:>8}  {}:{}  {}\n", ShareText(share),
                    DurationText(cost.total_ns), CountText(cost.tasks), DurationText(cost.MeanNs()),
                    Printable(model.str(model.sites.file[cost.site])), model.sites.line[cost.site],
                    NamesText(model, cost));
  }
  return text;
}

int ReportDiagnostics(const Diagnostics& diags, bool strict) {
  std::fputs(diags.Summary().c_str(), stderr);
  return strict && diags.HasDataLoss() ? kExitFault : kExitDone;
}

}  // namespace tasklens
