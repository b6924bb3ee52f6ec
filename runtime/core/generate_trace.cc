// SPDX-License-Identifier: Apache-2.0
// Finding and running the converter.
#include "runtime/core/generate_trace.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/core/message.h"

extern char** environ;

namespace tasklens::runtime {
namespace {

std::string_view Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// "tasklens" where it is only to be found in PATH.
std::string ConverterProgram() {
  Dl_info library;
  if (dladdr(reinterpret_cast<const void*>(&GenerateTrace), &library) != 0 && library.dli_fname) {
    const std::string path = library.dli_fname;
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    for (const char* place : {"../bin/tasklens", "../server/tools/tasklens"})
      if (access((folder + place).c_str(), X_OK) == 0) return folder + place;
  }
  return "tasklens";
}

// "" or what went wrong.
std::string RunConverter(std::string program, std::string trace, std::string folder) {
  // The name under which it is StarPU's tool.
  char name[] = "starpu_fxt_tool", input[] = "-i", output[] = "-d";
  char* arguments[] = {name, input, trace.data(), output, folder.data(), nullptr};
  pid_t child;
  if (const int error = posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ))
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
  const std::string error =
      RunConverter(ConverterProgram(), trace, std::string(folder.empty() ? "." : folder));
  if (!error.empty())
    Warn("STARPU_GENERATE_TRACE: %s; the trace is %s", error.c_str(), trace.c_str());
}

}  // namespace tasklens::runtime
