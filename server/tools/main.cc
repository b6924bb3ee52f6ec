// SPDX-License-Identifier: Apache-2.0
// tasklens: the program. Everything it can do is a row of commands.inc.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "server/tools/command.h"
#include "server/tools/nearest.h"
#include "server/tools/starpu_fxt_tool.h"

namespace tasklens {

#define COMMAND(Name) extern const CommandSpec k##Name##Command;
#include "server/tools/commands.inc"
#undef COMMAND

namespace {

constexpr const CommandSpec* kCommands[] = {
#define COMMAND(Name) &k##Name##Command,
#include "server/tools/commands.inc"
#undef COMMAND
};

// The program's own name when it is called through a link named like one of StarPU's tools.
struct Twin {
  std::string_view name;
  int (*run)(std::span<const std::string> arguments);
};
constexpr Twin kTwins[] = {
    {"starpu_fxt_tool", &StarpuFxtTool},
};

// Says which word is no command, or shows the help where there is none.
int NoCommand(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return kExitUsage;
  }
  std::vector<std::string_view> known;
  for (const CommandSpec* spec : kCommands) known.push_back(spec->name);
  return Fail({ErrorCode::kInvalidArgument, "no command is called '" + extras.front() + "'" +
                                                DidYouMean(extras.front(), known) +
                                                "; --help lists them"});
}

int Main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  for (const Twin& twin : kTwins)
    if (path.substr(path.rfind('/') + 1) == twin.name)
      return twin.run(std::vector<std::string>(argv + 1, argv + argc));

  CLI::App app("TaskLens: task graphs and timelines of StarPU programs, tied to their source.");
  app.name("tasklens");
  app.set_version_flag("--version", "tasklens " + std::string(kVersion));
  app.require_subcommand(0, 1);
  app.allow_extras();
  int status = kExitDone;
  for (const CommandSpec* spec : kCommands) {
    CLI::App* command = app.add_subcommand(std::string(spec->name), std::string(spec->summary));
    command->callback([&status, run = spec->declare(*command)] { status = run(); });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version arrive as errors, too; CLI11 prints them and calls that success.
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  if (app.get_subcommands().empty()) return NoCommand(app);
  return status;
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) {
  try {
    return tasklens::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tasklens: %s\n", error.what());
    return tasklens::kExitFault;
  }
}
