// SPDX-License-Identifier: Apache-2.0
// Asks the program's dynamic loader which libraries it would load.
#include "server/runs/linked_starpu.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "server/sources/elf_file.h"

extern char** environ;

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// Finds a program as a shell would; "" if there is none.
std::string PathOf(const std::string& word, const std::string& directory) {
  std::error_code error;
  const auto is_program = [&](const std::string& path) {
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (word.find('/') != std::string::npos) {
    const std::string path = fs::path(directory) / word;
    return is_program(path) ? path : "";
  }
  const char* const folders = std::getenv("PATH");
  std::istringstream list(folders ? folders : "");
  for (std::string folder; std::getline(list, folder, ':');)
    if (std::string path = folder + "/" + word; is_program(path)) return path;
  return "";
}

// Returns lines "NAME => PATH (ADDRESS)" or "NAME => not found"; "" if there is no loader to ask.
std::string AskLoader(const std::string& program,
                      const std::map<std::string, std::string>& environment) {
  const std::optional<ElfFile> elf = ElfFile::Open(program);
  const std::string loader = elf ? elf->Loader() : "";  // scripts and static programs have none
  if (loader.empty()) return "";
  // With this variable glibc's loader continues after a missing library, as for ldd. Other loaders
  // would run the program.
  const bool is_glibc = fs::path(loader).filename().string().starts_with("ld-linux");
  std::vector<std::string> words = {loader};
  std::vector<std::string> variables;
  if (is_glibc)
    variables.push_back("LD_TRACE_LOADED_OBJECTS=1");
  else
    words.push_back("--list");
  words.push_back(program);
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  for (char** variable = environ; *variable; ++variable) {
    std::string text = *variable;
    if (!environment.contains(text.substr(0, text.find('=')))) variables.push_back(std::move(text));
  }
  const auto pointers_to = [](std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child;
  const int error = posix_spawn(&child, loader.c_str(), &actions, nullptr,
                                pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string said;
  if (error == 0) {
    char part[4096];
    ssize_t count;
    while ((count = read(ends[0], part, sizeof part)) > 0 || (count < 0 && errno == EINTR))
      if (count > 0) said.append(part, static_cast<size_t>(count));
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return said;
}

}  // namespace

std::optional<LinkedStarpu> FindLinkedStarpu(const std::vector<std::string>& command,
                                             const std::map<std::string, std::string>& environment,
                                             const std::string& directory) {
  for (const std::string& word : command) {
    const std::string program = PathOf(word, directory);
    if (program.empty()) continue;
    std::istringstream lines(AskLoader(program, environment));
    std::optional<LinkedStarpu> found;
    bool has_fxt = false;
    for (std::string name, arrow, path, line; std::getline(lines, line);) {
      std::istringstream words(line);
      words >> name >> arrow >> path;
      has_fxt = has_fxt || name.starts_with("libfxt.so");
      // Excludes other libraries of StarPU: libstarpumpi, libstarpufft.
      const bool is_starpu = name.starts_with("libstarpu.so") || name.starts_with("libstarpu-");
      if (!is_starpu || arrow != "=>") continue;
      found = {word, name, path.starts_with('/') ? path : "", name == "libstarpu.so", false};
    }
    if (!found) continue;
    found->has_fxt = has_fxt;
    return found;
  }
  return std::nullopt;
}

Status ExplainNoTrace(const Status& failure, const std::vector<std::string>& command,
                      const std::map<std::string, std::string>& environment,
                      const std::string& directory) {
  const auto linked = FindLinkedStarpu(command, environment, directory);
  if (!linked) return failure;
  std::string said = failure.message().substr(0, failure.message().find(';')) + "; ";
  const std::string anew =
      "compile it with the flags of `tasklens flags`, or configure it again after "
      "`eval \"$(tasklens flags --env)\"`";
  if (linked->path.empty()) {
    said += linked->program + " needs " + linked->library + ", which is not found: " + anew;
  } else if (linked->is_ours) {
    said += linked->program + " loads TaskLens' runtime, " + linked->path +
            ": did it call starpu_init(), and did that return 0?";
  } else if (linked->has_fxt) {
    said += linked->program + " loads a StarPU with FxT, " + linked->path +
            ": did it call starpu_init(), and did that return 0?";
  } else {
    said += linked->program + " loads another StarPU, without FxT, " + linked->path +
            ", and not TaskLens' runtime: " + anew;
  }
  return Status(failure.code(), said);
}

}  // namespace tasklens
