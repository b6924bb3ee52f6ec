// SPDX-License-Identifier: Apache-2.0
// tasklens flags: what a compiler needs to build a StarPU program against our runtime.
#include <fmt/format.h>

#include <cstdio>

#include "server/answers/answers.h"
#include "server/session/home.h"
#include "server/tools/command.h"

namespace tasklens {
namespace {

struct Options {
  bool compile = false;
  bool link = false;
  bool json = false;
};

// `path` as one word of a POSIX shell.
std::string ShellWord(const std::string& path) {
  if (path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "/._-+,=:@%") == std::string::npos)
    return path;
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

int Flags(const Options& options) {
  const Result<Home> home = FindHome();
  if (!home.ok()) return Fail(home.status());
  const bool both = !options.compile && !options.link;
  std::vector<std::string> compile, link;
  if (options.compile || both) compile = {"-I" + home->include_dir};
  if (options.link || both)
    link = {"-L" + home->library_dir, "-Wl,-rpath," + home->library_dir, "-lstarpu"};
  if (options.json) {
    std::fputs(Dump({{"cflags", compile}, {"libs", link}}).c_str(), stdout);
    return kExitDone;
  }
  std::vector<std::string> words;
  for (const auto* flags : {&compile, &link})
    for (const std::string& flag : *flags) words.push_back(ShellWord(flag));
  fmt::print("{}\n", fmt::join(words, " "));
  return kExitDone;
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Flag("--cflags", options->compile, "only the compiler's");
  cli.Flag("--libs", options->link, "only the linker's");
  cli.Flag("--json", options->json, "as JSON, a text for each argument");
  cli.Footer("Example: cc prog.c $(./tasklens flags) -o prog && ./tasklens run ./prog");
  return [options] { return Flags(*options); };
}

}  // namespace

extern const CommandSpec kFlagsCommand = {"flags", "compiler and linker flags of the runtime",
                                          &Declare};

}  // namespace tasklens
