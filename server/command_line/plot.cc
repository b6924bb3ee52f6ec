// SPDX-License-Identifier: Apache-2.0
// tasklens plot: draws measurements of one run, or of several runs side by side.
#include <fmt/format.h>

#include <memory>

#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/run_store.h"
#include "server/command_line/summary.h"
#include "server/command_line/whole_files.h"
#include "server/pictures/plots.h"
#include "trace/support/diagnostics.h"

namespace tasklens {
namespace {

struct Options {
  std::string kind, output;
  std::vector<std::string> traces;
  PlotOptions plot;
  bool dark = false, strict = false;
};

// Removes the folders that all runs have in common from their names, because a picture has little
// room for names. A single run keeps its name.
void DropSharedFolders(std::vector<PlotRun>& runs) {
  const auto folders = [](std::string_view name) { return name.rfind('/') + 1; };
  if (runs.size() < 2) return;
  size_t shared = folders(runs.front().name);
  for (const PlotRun& run : runs)
    while (shared > 0 && run.name.compare(0, shared, runs.front().name, 0, shared) != 0)
      shared = folders(std::string_view(runs.front().name).substr(0, shared - 1));
  for (PlotRun& run : runs) run.name.erase(0, shared);
}

int Plot(const Options& options) {
  const auto kind = FindPlotKind(options.kind);
  if (!kind.ok()) return Fail(kind.status());
  if (Status s = CheckPlotOptions(**kind, options.plot); !s.ok()) return Fail(s);
  const auto format = PlotFormatOf(options.output);
  if (!format)
    return Fail({ErrorCode::kInvalidArgument,
                 options.output + ": the name must end in .svg, .pdf, .png or .html"});
  std::vector<TraceModel> models;
  std::vector<PlotRun> runs;
  int exit_status = kExitDone;
  const Result<std::vector<std::string>> traces = TracesOrNewest(options.traces);
  if (!traces.ok()) return Fail(traces.status());
  models.reserve(traces->size());
  for (const std::string& trace : *traces) {
    Diagnostics diags;
    Result<TraceModel> model = LoadWithProgress(std::vector{trace}, diags, (*kind)->parts);
    if (const int status = ReportDiagnostics(diags, options.strict); status != kExitDone)
      exit_status = status;
    if (!model.ok()) return Fail(model.status());
    models.push_back(std::move(*model));
    runs.emplace_back(trace, &models.back());
  }
  DropSharedFolders(runs);
  if (options.strict && exit_status != kExitDone) return exit_status;
  const auto sheets = (*kind)->draw(runs, options.plot);
  if (!sheets.ok()) return Fail(sheets.status());
  if (Status s = WriteWholeFiles({{options.output, PlotText(*sheets, *format)}}); !s.ok())
    return Fail(s);
  PrintText("{}\n", options.output);
  return exit_status;
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  std::string kinds, names;
  for (const PlotKind& kind : PlotKinds()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    kinds += fmt::format("{:<12} {}\n", kind.name, kind.summary);
  }
  cli.Add("kind", options->kind, "kind of picture: " + names).Required();
  cli.Add("trace", options->traces,
          "traces, each a file or a folder of ranks; several runs are drawn side by side (default: "
          "the newest run)");
  cli.Add("-o,--output FILE", options->output, "picture to write: NAME.svg, .pdf, .png or .html")
      .Required();
  cli.Add("--by", options->plot.by, "durations: group tasks by this; sizes: colour tasks by this")
      .OneOf({"codelet", "size", "worker"})
      .ShowDefault();
  cli.Add("--codelet NAME", options->plot.codelets, "only the tasks of this codelet (repeatable)");
  cli.Flag("--dark", options->dark, "use a dark background");
  cli.Flag("--strict", options->strict,
           "exit with status 1, and draw nothing, if a trace is incomplete");
  cli.Footer(kinds + "Example: tasklens plot activity trace.tlt -o activity.svg");
  return [options] {
    if (options->dark) options->plot.theme = kDarkPlot;
    return Plot(*options);
  };
}

}  // namespace

extern const CommandSpec kPlotCommand = {
    "plot", "draw histograms, activity, messages and more of one or several runs", &Declare};

}  // namespace tasklens
