// SPDX-License-Identifier: Apache-2.0
// Parses the command line and runs the command.
#include "server/command_line/program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "server/version.h"
#include "trace/support/nearest.h"

namespace tasklens {
namespace {

using Commands = std::span<const CommandSpec* const>;

bool IsCommand(Commands commands, std::string_view name) {
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CommandSpec* spec) { return spec->name == name; });
}

// Whether the options of `spec` must be declared: the words name it, or a command about all
// commands. Others are skipped, because declaring options takes time and may load a library.
bool IsToBeDeclared(const CommandSpec& spec, Commands commands,
                    std::span<const std::string> words) {
  const auto is_named = [&](const CommandSpec& of) {
    return std::ranges::find(words, of.name) != words.end();
  };
  return is_named(spec) || std::ranges::any_of(commands, [&](const CommandSpec* other) {
           return other->is_about_all && is_named(*other);
         });
}

int UnknownCommand(Commands commands, const std::string& name) {
  std::vector<std::string_view> known = {"help"};
  for (const CommandSpec* spec : commands) known.push_back(spec->name);
  return Fail({ErrorCode::kInvalidArgument, "no command is called '" + name + "'" +
                                                DidYouMean(name, known) + "; --help lists them"});
}

// Returns the words after the program's name. CLI11 does not accept "-" as an operand, so it is
// replaced by the path of standard input; not after "--", where the words belong to another
// program.
std::vector<std::string> Words(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto ours = std::find(words.begin(), words.end(), "--");
  std::replace(words.begin(), ours, std::string("-"), std::string("/dev/stdin"));
  return words;
}

// Gives Fontconfig a folder for its cache. It measures the labels of graphs, and complains on
// standard error if it cannot write a cache, as in jobs without a home. If the folder in /tmp
// belongs to another user, the complaint remains.
void GiveFontsACache() {
  const char* home = std::getenv("HOME");
  if (std::getenv("XDG_CACHE_HOME") || (home && access(home, W_OK) == 0)) return;
  const std::string ours = "/tmp/tasklens-" + std::to_string(getuid());
  struct stat status {};
  if ((mkdir(ours.c_str(), 0700) == 0 || errno == EEXIST) && lstat(ours.c_str(), &status) == 0 &&
      S_ISDIR(status.st_mode) && status.st_uid == getuid())
    setenv("XDG_CACHE_HOME", ours.c_str(), 1);
}

// Writes out standard output. Returns `exit_status`, or that of an error if the output could not be
// written.
int EndOfOutput(int exit_status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_status;
  return Fail({ErrorCode::kIo, "standard output: cannot be written to"});
}

}  // namespace

int RunProgram(int argc, char** argv, Commands commands) {
  CommandLine line("tasklens",
                   "TaskLens: task graphs and timelines of StarPU programs, tied to their source.",
                   "tasklens " + std::string(kVersion),
                   "TASKLENS_SAVED_TRACES names the folder of the cache of traces. A trace of 8 MB "
                   "or more is cached\nonce it has been read, so that it opens at once the next "
                   "time. The default is\n~/.cache/tasklens/traces; the cache takes up to 8 GiB "
                   "and drops the least recently used traces first.\n\"off\" turns it off.");
  std::vector<std::string> words = Words(argc, argv);
  std::function<int()> chosen;
  std::vector<std::function<int()>> runs(commands.size());
  for (size_t i = 0; i < commands.size(); ++i) {
    OptionSet options =
        line.AddCommand(std::string(commands[i]->name), std::string(commands[i]->summary),
                        [&chosen, &run = runs[i]] { chosen = run; });
    if (IsToBeDeclared(*commands[i], commands, words)) runs[i] = commands[i]->declare(options);
  }
  if (argc < 2) {
    std::fputs(line.Help().c_str(), stderr);
    return kExitUsage;
  }
  if (argv[1][0] != '-' && words.front() != "help" && !IsCommand(commands, argv[1]))
    return UnknownCommand(commands, argv[1]);
  if (words.front() == "help") {
    if (words.size() > 1 && !IsCommand(commands, words[1]))
      return UnknownCommand(commands, words[1]);
    words = words.size() > 1 ? std::vector<std::string>{words[1], "--help"}
                             : std::vector<std::string>{"--help"};
  }
  switch (line.Parse(std::move(words))) {
    case CommandLine::Outcome::kAnswered: return kExitDone;
    case CommandLine::Outcome::kWrong: return kExitUsage;
    case CommandLine::Outcome::kParsed: break;
  }
  return chosen ? chosen() : kExitDone;
}

int RunMain(int (*run)(int argc, char** argv), int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file above the size limit is an error to report
  GiveFontsACache();
  try {
    return EndOfOutput(run(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tasklens: %s\n", error.what());
    return kExitFault;
  }
}

}  // namespace tasklens
