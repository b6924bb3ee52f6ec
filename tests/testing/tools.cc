// SPDX-License-Identifier: Apache-2.0
// Running the real clients.
#include "tests/testing/tools.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace tasklens::testing {
namespace {

constexpr struct {
  std::string_view program, package;
} kPackages[] = {
    {"pj_dump", "pajeng"},        {"vite", "vite"},        {"recinf", "recutils"},
    {"rec2csv", "recutils"},      {"recsel", "recutils"},  {"dot", "graphviz"},
    {"neato", "graphviz"},        {"acyclic", "graphviz"}, {"gvpr", "graphviz"},
    {"xmllint", "libxml2-utils"},
};

std::string Advice(std::string_view command) {
  const std::string_view program = command.substr(0, command.find(' '));
  for (const auto& row : kPackages) {
    if (row.program == program)
      return "\n" + std::string(program) + " is missing: apt-get install " +
             std::string(row.package);
  }
  return "\n" + std::string(program) + " is missing";
}

}  // namespace

ToolRun RunTool(const std::string& command) {
  ToolRun run{-1, ""};
  // Where Bazel gives a test no home, fontconfig complains unless it may cache somewhere.
  if (const char* folder = getenv("TEST_TMPDIR")) setenv("XDG_CACHE_HOME", folder, 0);
  FILE* pipe = popen(("{ " + command + "\n} 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) return run;
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe))
    run.output.append(buffer, count);
  const int status = pclose(pipe);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (run.status == 127) run.output += Advice(command);
  return run;
}

std::string TestFile(const std::string& name, std::string_view text) {
  const char* folder = getenv("TEST_TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/" + name;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string ShellQuote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace tasklens::testing
