// SPDX-License-Identifier: Apache-2.0
// The commands in libtasklens-server.so. The program has their names and summaries; the library is
// loaded when it needs their options.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "server/command_line/server_commands.h"
#include "server/version.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libtasklens-server.so";

// The library is beside the program, or in ../lib/tasklens of the program's folder.
std::string LibraryPath() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path beside = folder / kFile;
  return fs::exists(beside, error) ? beside : folder.parent_path() / "lib/tasklens" / kFile;
}

// Returns the command from the library. Throws if the library is missing or of another version;
// RunMain() prints the message as one line.
const CommandSpec& Load(std::string_view name) {
  static const std::string path = LibraryPath();
  static void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(fmt::format(
        "{}: the commands demo, run, report and serve are in {}, which cannot be loaded "
        "({}); install TaskLens again",
        name, kFile, dlerror()));
  const auto find = reinterpret_cast<FindServerCommand*>(dlsym(library, kFindServerCommand));
  const CommandSpec* const spec = find ? find(kVersion, name) : nullptr;
  if (!spec)
    throw std::runtime_error(fmt::format(
        "{}: {} is not of version {}, the version of this program; install TaskLens again", name,
        path, kVersion));
  return *spec;
}

template <const CommandText& text>
std::function<int()> Declare(OptionSet& cli) {
  return Load(text.name).declare(cli);
}

template <const CommandText& text>
constexpr CommandSpec kLoaded = {text.name, text.summary, &Declare<text>};

}  // namespace

extern const CommandSpec kDemoCommand = kLoaded<kDemoText>;
extern const CommandSpec kRunCommand = kLoaded<kRunText>;
extern const CommandSpec kReportCommand = kLoaded<kReportText>;
extern const CommandSpec kServeCommand = kLoaded<kServeText>;

}  // namespace tasklens
