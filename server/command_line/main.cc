// SPDX-License-Identifier: Apache-2.0
// The program tasklens. commands.inc has a row for each command.
#include <string>
#include <string_view>
#include <vector>

#include "server/command_line/perfmodel_tools.h"
#include "server/command_line/program.h"
#include "server/command_line/starpu_fxt_tool.h"
#include "server/command_line/starpu_lp2paje.h"
#include "server/command_line/twins/twin.h"

namespace tasklens {

#define COMMAND(Name) extern const CommandSpec k##Name##Command;
#include "server/command_line/commands.inc"
#undef COMMAND

namespace {

constexpr const CommandSpec* kCommands[] = {
#define COMMAND(Name) &k##Name##Command,
#include "server/command_line/commands.inc"
#undef COMMAND
};

// A replacement for one of StarPU's tools, which runs when tasklens is started through a link of
// its name. (The tools that count and draw are in the table of twins/twins.cc.)
struct NamedProgram {
  std::string_view name;
  int (*run)(std::span<const std::string> arguments);
};
constexpr NamedProgram kPrograms[] = {
    {"starpu_fxt_tool", &StarpuFxtTool},
    {"starpu_lp2paje", &StarpuLp2Paje},
    {"starpu_perfmodel_display", &StarpuPerfmodelDisplay},
    {"starpu_perfmodel_plot", &StarpuPerfmodelPlot},
    {"starpu_perfmodel_recdump", &StarpuPerfmodelRecdump},
    {"starpu_tasks_rec_complete", &StarpuTasksRecComplete},
};

int Main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto words = [&] { return std::vector<std::string>(argv + 1, argv + argc); };
  for (const NamedProgram& program : kPrograms)
    if (name == program.name) return program.run(words());
  if (const Twin* twin = FindTwin(name)) return RunTwin(*twin, words());
  return RunProgram(argc, argv, kCommands);
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) { return tasklens::RunMain(&tasklens::Main, argc, argv); }
