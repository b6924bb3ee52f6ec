// SPDX-License-Identifier: Apache-2.0
// tasklens flags: prints the flags that a compiler needs to build a StarPU program against our
// runtime.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "server/answers/printed.h"
#include "server/command_line/command.h"
#include "server/messages/messages.h"
#include "server/runs/home.h"

namespace tasklens {
namespace {

struct Options {
  bool compile = false;
  bool link = false;
  bool env = false;
  bool mpi = false;
  bool json = false;
};

// The variables that tell build systems where StarPU is: for pkg-config, for CMake, and for Find
// modules and configure scripts. `prefix`: an installation laid out like StarPU's.
std::vector<std::pair<std::string, std::string>> Variables(const std::string& prefix) {
  return {{"PKG_CONFIG_PATH", prefix + "/lib/pkgconfig"},
          {"CMAKE_PREFIX_PATH", prefix},
          {"STARPU_DIR", prefix}};
}
// Whether the variable is a list of folders. Ours is put in front of it.
bool IsList(const std::string& name) { return name.ends_with("_PATH"); }

// Quotes `path` as one word of a POSIX shell, if necessary.
std::string ShellWord(const std::string& path) {
  if (path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "/._-+,=:@%") == std::string::npos)
    return path;
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

// Returns the first of the folders that contains `file`, or "".
std::string FolderWith(std::initializer_list<std::string> folders, const char* file) {
  std::error_code error;
  for (const std::string& folder : folders) {
    if (std::filesystem::exists(folder + "/" + file, error)) return folder;
  }
  return "";
}

// Adds the flags of StarPU-MPI. An installation has its library and header in the folders of the
// runtime; a source tree has them in mpi/.
Status AddMpi(const Home& home, std::vector<std::string>* compile, std::vector<std::string>* link) {
  const std::string library =
      FolderWith({home.library_dir, home.library_dir + "/mpi"}, "libstarpumpi-1.4.so");
  const std::string include =
      FolderWith({home.include_dir, home.include_dir + "/../mpi/include"}, "starpu_mpi.h");
  if (library.empty() || include.empty())
    return {ErrorCode::kNotFound,
            "TaskLens was built without MPI: apt-get install libopenmpi-dev, and build it again"};
  if (!compile->empty() && include != home.include_dir)
    compile->push_back("-I" + std::filesystem::path(include).lexically_normal().string());
  if (link->empty()) return {};
  if (library != home.library_dir)
    link->insert(link->begin(), {"-L" + library, "-Wl,-rpath," + library});
  link->insert(link->end() - 1, "-lstarpumpi-1.4");
  return {};
}

int Flags(const Options& options) {
  const Result<Home> home = FindHome();
  if (!home.ok()) return Fail(home.status());
  if (options.env && home->starpu_dir.empty())
    return Fail({ErrorCode::kNotFound,
                 "--env needs an installed TaskLens; run `./tasklens install --prefix DIR`, then "
                 "`DIR/bin/tasklens flags --env`"});
  if (options.env && !options.json) {
    for (const auto& [name, value] : Variables(home->starpu_dir))
      fmt::print("export {}={}{}\n", name, ShellWord(value),
                 IsList(name) ? fmt::format("${{{0}:+:${0}}}", name) : "");
    return kExitDone;
  }
  const bool both = !options.compile && !options.link;
  std::vector<std::string> compile, link;
  if (options.compile || both) compile = {"-I" + home->include_dir};
  if (options.link || both)
    link = {"-L" + home->library_dir, "-Wl,-rpath," + home->library_dir, "-lstarpu"};
  if (options.mpi) {
    const Status found = AddMpi(*home, &compile, &link);
    if (!found.ok()) return Fail(found);
  }
  if (options.json) {
    messages::PrintedFlags answer{.cflags = compile, .libs = link};
    if (options.env)
      for (const auto& [name, value] : Variables(home->starpu_dir))
        answer.env.emplace().emplace(name, value);
    std::fputs(Dump(answer).c_str(), stdout);
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
  cli.Flag("--cflags", options->compile, "only the compiler flags");
  cli.Flag("--libs", options->link, "only the linker flags");
  cli.Flag("--mpi", options->mpi,
           "add StarPU-MPI (starpu_mpi_*); for mpicc, which adds MPI's own flags");
  cli.Flag(
      "--env", options->env,
      "print shell variables by which pkg-config, CMake and configure scripts find the runtime");
  cli.Flag("--json", options->json, "print JSON, one string per argument");
  cli.Example(
      "cc prog.c $(tasklens flags) -o prog && tasklens run ./prog\n"
      "  mpicc prog.c $(tasklens flags --mpi) -o prog && tasklens run -- mpirun -np 2 ./prog\n"
      "  eval \"$(tasklens flags --env)\" && cmake -S . -B build");
  return [options] { return Flags(*options); };
}

}  // namespace

extern const CommandSpec kFlagsCommand = {
    "flags", "print the compiler and linker flags of the runtime", &Declare};

}  // namespace tasklens
