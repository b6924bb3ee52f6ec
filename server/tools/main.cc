// SPDX-License-Identifier: Apache-2.0
// tasklens: the program. Everything it can do is a row of commands.inc.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "server/tools/command.h"

namespace tasklens {

#define COMMAND(Name) extern const CommandSpec k##Name##Command;
#include "server/tools/commands.inc"
#undef COMMAND

int Fail(const Status& status) {
  std::fprintf(stderr, "tasklens: %s\n", status.message().c_str());
  return status.code() == ErrorCode::kInvalidArgument ? kExitUsage : kExitFault;
}

namespace {

constexpr const CommandSpec* kCommands[] = {
#define COMMAND(Name) &k##Name##Command,
#include "server/tools/commands.inc"
#undef COMMAND
};

int Main(int argc, char** argv) {
  CLI::App app("TaskLens: task graphs and timelines of StarPU programs, tied to their source.");
  app.name("tasklens");
  app.set_version_flag("--version", "tasklens 0.1.0");
  app.require_subcommand(1);
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
