// SPDX-License-Identifier: Apache-2.0
// tasklens: the program. Everything it can do is a row of commands.inc.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "server/tools/command.h"
#include "server/tools/nearest.h"
#include "server/tools/perfmodel_tools.h"
#include "server/tools/starpu_fxt_tool.h"
#include "server/tools/starpu_lp2paje.h"
#include "server/version.h"

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
    {"starpu_lp2paje", &StarpuLp2Paje},
    {"starpu_perfmodel_display", &StarpuPerfmodelDisplay},
    {"starpu_perfmodel_plot", &StarpuPerfmodelPlot},
    {"starpu_perfmodel_recdump", &StarpuPerfmodelRecdump},
    {"starpu_tasks_rec_complete", &StarpuTasksRecComplete},
};

bool IsCommand(std::string_view name) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const CommandSpec* spec) { return spec->name == name; });
}

int UnknownCommand(const std::string& name) {
  std::vector<std::string_view> known;
  for (const CommandSpec* spec : kCommands) known.push_back(spec->name);
  return Fail({ErrorCode::kInvalidArgument, "no command is called '" + name + "'" +
                                                DidYouMean(name, known) + "; --help lists them"});
}

// The words after the program's name, in reverse as CLI11 wants them. CLI11 takes no lone "-" for
// an operand, so standard input gets its path; what follows "--" belongs to somebody else.
std::vector<std::string> Words(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto ours = std::find(words.begin(), words.end(), "--");
  std::replace(words.begin(), ours, std::string("-"), std::string("/dev/stdin"));
  std::reverse(words.begin(), words.end());
  return words;
}

// Fontconfig, which measures the labels of graphs, complains on standard error where it may write
// no cache: in jobs without a home. Where even the temporary folder is not ours, it may complain.
void GiveFontsACache() {
  const char* home = std::getenv("HOME");
  if (std::getenv("XDG_CACHE_HOME") || (home && access(home, W_OK) == 0)) return;
  const std::string ours = "/tmp/tasklens-" + std::to_string(getuid());
  struct stat status {};
  if ((mkdir(ours.c_str(), 0700) == 0 || errno == EEXIST) && lstat(ours.c_str(), &status) == 0 &&
      S_ISDIR(status.st_mode) && status.st_uid == getuid())
    setenv("XDG_CACHE_HOME", ours.c_str(), 1);
}

int Main(int argc, char** argv) {
  GiveFontsACache();
  const std::string_view path = argc > 0 ? argv[0] : "";
  for (const Twin& twin : kTwins)
    if (path.substr(path.rfind('/') + 1) == twin.name)
      return twin.run(std::vector<std::string>(argv + 1, argv + argc));

  CLI::App app("TaskLens: task graphs and timelines of StarPU programs, tied to their source.");
  app.name("tasklens");
  app.set_version_flag("--version", "tasklens " + std::string(kVersion));
  app.require_subcommand(0, 1);
  app.footer(
      "TASKLENS_SAVED_TRACES names the folder in which what was read of a trace of 8 MB or more is "
      "kept, so\nthat it opens at once the next time: ~/.cache/tasklens/traces if it is not set, 8 "
      "GiB at most, those not\nused for longest go first. \"off\" keeps none.");
  std::function<int()> chosen;
  for (const CommandSpec* spec : kCommands) {
    CLI::App* command = app.add_subcommand(std::string(spec->name), std::string(spec->summary));
    command->callback([&chosen, run = spec->declare(*command)] { chosen = run; });
  }
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return kExitUsage;
  }
  if (argv[1][0] != '-' && !IsCommand(argv[1])) return UnknownCommand(argv[1]);
  try {
    app.parse(Words(argc, argv));
  } catch (const CLI::ParseError& error) {
    // Help and version arrive as errors, too; CLI11 prints them and calls that success.
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  return chosen ? chosen() : kExitDone;
}

// What was printed is out, or the exit status says that it is not.
int EndOfOutput(int exit_status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_status;
  return Fail({ErrorCode::kIo, "standard output: cannot be written to"});
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a full disk is an error to report, not a death
  try {
    return tasklens::EndOfOutput(tasklens::Main(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tasklens: %s\n", error.what());
    return tasklens::kExitFault;
  }
}
