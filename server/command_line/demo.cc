// SPDX-License-Identifier: Apache-2.0
// tasklens demo: runs an example, records its trace and writes all outputs, without an editor.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "server/command_line/child.h"
#include "server/command_line/command.h"
#include "server/command_line/convert.h"
#include "server/command_line/report.h"
#include "server/command_line/server_commands.h"
#include "server/command_line/summary.h"
#include "server/runs/home.h"
#include "server/runs/traced_run.h"

namespace tasklens {
namespace {

struct Options {
  std::string directory = "tasklens-demo";
  bool no_open = false;
};

// Opens `page` in the user's browser if there is a display.
void OpenPage(const std::string& page) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const Result<ChildEnd> end = RunChild({"xdg-open", page}, {});
  if (!end.ok() || !Describe(*end).empty())
    fmt::print("(no browser could be opened; open the page yourself)\n");
}

int Demo(const Options& options) {
  const Result<Home> home = FindHome();
  if (!home.ok()) return Fail(home.status());
  Result<std::string> directory = EmptyRunDirectory(options.directory);
  if (!directory.ok()) return Fail(directory.status());

  const std::string program = home->example_dir + "/cholesky";
  fmt::print("running examples/cholesky and recording its trace ...\n");
  std::fflush(stdout);
  Result<ChildEnd> end = RunChild({program}, TracedEnvironment(*directory), home->root);
  if (!end.ok()) return Fail(end.status());
  if (const std::string trouble = Describe(*end); !trouble.empty())
    return Fail({ErrorCode::kIo, program + " " + trouble});

  Result<std::vector<std::string>> traces = FindTraces(*directory);
  if (!traces.ok()) return Fail(traces.status());
  // In a folder of links, such as Bazel's execution root, the link examples/ leads out of
  // home->root.
  const auto trace = LoadTrace(
      *traces, {.roots = RootsOf({home->root, home->root + "/examples"}), .directory = home->root});
  if (!trace.ok()) return Fail(trace.status());
  ReportDiagnostics((*trace)->diagnostics, false);
  const TraceModel& model = *(*trace)->model;
  auto writers = ChooseWriters("all");
  if (!writers.ok()) return Fail(writers.status());
  if (const auto written = WriteFormats(model, *writers, WriteOptions{}, *directory); !written.ok())
    return Fail(written.status());
  const std::string report = *directory + "/report.html";
  if (Status written = WriteReport(**trace, report); !written.ok()) return Fail(written);

  fmt::print("{}", SummaryText(model, 3));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(*directory))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  fmt::print("outputs: {}/{{{}}}\n", *directory, fmt::join(names, ","));
  fmt::print("task graph, each task linked to its source line: file://{}/dag.svg\n", *directory);
  fmt::print("report, start here: file://{}\n", report);
  std::fflush(stdout);
  if (!options.no_open) OpenPage(report);
  return kExitDone;
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Example("tasklens demo -o /tmp/demo");
  cli.Add("-o,--output DIR", options->directory, "folder to write to").ShowDefault();
  cli.Flag("--no-open", options->no_open, "do not open the page in a browser");
  return [options] { return Demo(*options); };
}

}  // namespace

extern const CommandSpec kDemoCommand = {kDemoText.name, kDemoText.summary, &Declare};

}  // namespace tasklens
