// SPDX-License-Identifier: Apache-2.0
// tasklens flags: what a compiler needs to build a StarPU program against our runtime.
#include <fmt/format.h>

#include "server/session/home.h"
#include "server/tools/command.h"

namespace tasklens {
namespace {

struct Options {
  bool compile = false;
  bool link = false;
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
  std::vector<std::string> words;
  if (options.compile || both) words.push_back(ShellWord("-I" + home->include_dir));
  if (options.link || both)
    words.insert(words.end(), {ShellWord("-L" + home->library_dir),
                               ShellWord("-Wl,-rpath," + home->library_dir), "-lstarpu"});
  fmt::print("{}\n", fmt::join(words, " "));
  return kExitDone;
}

std::function<int()> Declare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_flag("--cflags", options->compile, "only the compiler's");
  app.add_flag("--libs", options->link, "only the linker's");
  app.footer("Example: cc prog.c $(./tasklens flags) -o prog && ./tasklens run ./prog");
  return [options] { return Flags(*options); };
}

}  // namespace

extern const CommandSpec kFlagsCommand = {"flags", "compiler and linker flags of the runtime",
                                          &Declare};

}  // namespace tasklens
