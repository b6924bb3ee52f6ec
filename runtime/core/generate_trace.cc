// SPDX-License-Identifier: Apache-2.0
// Finds and runs the converter.
#include "runtime/core/generate_trace.h"

#include <dlfcn.h>
#include <spawn.h>
#include <starpu.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/support/message.h"

extern char** environ;

namespace tasklens::runtime {
namespace {

std::string_view Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// Returns the path of the converter, or "tasklens" to look for it in PATH.
std::string ConverterProgram() {
  Dl_info library;
  if (dladdr(reinterpret_cast<const void*>(&GenerateTrace), &library) != 0 && library.dli_fname) {
    const std::string path = library.dli_fname;
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    for (const char* place : {"../../bin/tasklens", "../server/command_line/tasklens"})
      if (access((folder + place).c_str(), X_OK) == 0) return folder + place;
  }
  return "tasklens";
}

// argv[0] that makes `tasklens` act as StarPU's tool.
constexpr char kTool[] = "starpu_fxt_tool";

// Runs `program`; `arguments` begin with argv[0]. Returns "", or the error message.
std::string RunConverter(const std::string& program, std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child;
  if (const int error =
          posix_spawnp(&child, program.c_str(), nullptr, nullptr, pointers.data(), environ))
    return program + ": " + strerror(error);
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return program + ": " + strerror(errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return program + (WIFEXITED(status)
                        ? " ended with status " + std::to_string(WEXITSTATUS(status))
                        : " was killed by signal " + std::to_string(WTERMSIG(status)));
}

}  // namespace

void GenerateTrace(const std::string& trace, int id) {
  const std::string_view wanted = Variable("STARPU_GENERATE_TRACE");
  if (wanted.empty() || wanted == "0") return;
  if (id > 0)
    return Warn("STARPU_GENERATE_TRACE is for one process; run starpu_fxt_tool on all traces");
  const std::string_view folder = Variable("STARPU_FXT_PREFIX");
  const std::string error = RunConverter(
      ConverterProgram(), {kTool, "-i", trace, "-d", std::string(folder.empty() ? "." : folder)});
  if (!error.empty())
    Warn("STARPU_GENERATE_TRACE: %s; the trace is %s", error.c_str(), trace.c_str());
}

std::string ConvertTraces(const starpu_fxt_options& options) {
  const struct {
    unsigned wanted;
    const char* flag;
  } flags[] = {
      {options.per_task_colour, "-c"},           {options.no_events, "-no-events"},
      {options.no_counter, "-no-counter"},       {options.no_bus, "-no-bus"},
      {options.no_flops, "-no-flops"},           {options.no_smooth, "-no-smooth"},
      {options.no_acquire, "-no-acquire"},       {options.memory_states, "-memory-states"},
      {options.internal, "-internal"},           {options.label_deps, "-label-deps"},
      {options.number_events, "-number-events"}, {options.use_task_color, "-use-task-color"},
  };
  std::vector<std::string> arguments = {kTool};
  for (const auto& flag : flags) {
    if (flag.wanted) arguments.push_back(flag.flag);
  }
  if (options.dir) arguments.insert(arguments.end(), {"-d", options.dir});
  if (options.out_paje_path) arguments.insert(arguments.end(), {"-o", options.out_paje_path});
  for (unsigned i = 0; i < options.ninputfiles && i < STARPU_FXT_MAX_FILES; ++i) {
    arguments.insert(arguments.end(), {"-i", options.filenames[i]});
  }
  return RunConverter(ConverterProgram(), arguments);
}

std::string WriteDataTrace(const std::string& trace, const std::string& folder) {
  return RunConverter(ConverterProgram(),
                      {"tasklens", "convert", trace, "--to", "data-trace", "-o", folder});
}

}  // namespace tasklens::runtime
