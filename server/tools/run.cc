// SPDX-License-Identifier: Apache-2.0
// tasklens run: a program, traced.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "server/session/session.h"
#include "server/session/traced_run.h"
#include "server/tools/child.h"
#include "server/tools/command.h"
#include "server/tools/summary.h"

namespace tasklens {
namespace {

struct Options {
  std::string directory;
  std::vector<std::string> program;
};

int Run(const Options& options) {
  Result<std::string> directory = options.directory.empty()
                                      ? NewRunDirectory("tasklens-runs", options.program[0])
                                      : EmptyRunDirectory(options.directory);
  if (!directory.ok()) return Fail(directory.status());
  Result<ChildEnd> end = RunChild(options.program, TracedEnvironment(*directory));
  if (!end.ok()) {
    RemoveIfEmpty(*directory);
    return Fail(end.status());
  }
  const std::string trouble = Describe(*end);
  if (!trouble.empty())
    std::fprintf(stderr, "tasklens: %s %s\n", options.program[0].c_str(), trouble.c_str());

  Result<std::vector<std::string>> traces = FindTraces(*directory);
  if (!traces.ok()) {
    RemoveIfEmpty(*directory);
    return Fail(traces.status());
  }
  const auto trace = LoadTrace(*traces, SourceRoots{}, std::filesystem::current_path().string());
  if (!trace.ok()) return Fail(trace.status());
  ReportDiagnostics((*trace)->diagnostics, false);
  fmt::print("{}", SummaryText(*(*trace)->model, 3));
  if (Status s = SaveTracedTexts(*(*trace)->texts, *directory); !s.ok()) return Fail(s);
  fmt::print("trace: {}\n", fmt::join(*traces, " "));
  return trouble.empty() ? kExitDone : kExitFault;
}

std::function<int()> Declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->directory,
                 "folder for the trace (default: a new one in tasklens-runs/)");
  app.add_option("program", options->program, "the program and its arguments, best after --")
      ->required();
  app.footer(
      "The program must use TaskLens' runtime or a StarPU with FxT; see `tasklens flags`.\n"
      "Its exit status is reported; ours is 1 when it failed. What it recorded is kept.");
  return [options] { return Run(*options); };
}

}  // namespace

extern const CommandSpec kRunCommand = {"run", "run a program traced", &Declare};

}  // namespace tasklens
