// SPDX-License-Identifier: Apache-2.0
// tasklens stats: what a trace says, in a table.
#include <fmt/format.h>

#include "converters/formats.h"
#include "server/tools/command.h"
#include "server/tools/summary.h"

namespace tasklens {
namespace {

struct Options {
  std::vector<std::string> traces;
  size_t most_sites = 20;
  bool strict = false;
};

int Stats(const Options& options) {
  Diagnostics diags;
  Result<TraceModel> model = LoadWithProgress(options.traces, diags);
  const int status = ReportDiagnostics(diags, options.strict);
  if (!model.ok()) return Fail(model.status());
  fmt::print("{}", SummaryText(*model, options.most_sites));
  return status;
}

std::function<int()> Declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("trace", options->traces, "trace files, one a rank, or their folder")->required();
  app.add_option("--sites", options->most_sites, "how many submission sites to list")
      ->capture_default_str();
  app.add_flag("--strict", options->strict, "exit 1 when something of the trace is missing");
  return [options] { return Stats(*options); };
}

}  // namespace

extern const CommandSpec kStatsCommand = {"stats", "tasks, workers, span and costs by line",
                                          &Declare};

}  // namespace tasklens
