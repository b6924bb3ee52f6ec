// SPDX-License-Identifier: Apache-2.0
// The programs that read our files, run as a test's real clients.
#pragma once

#include <string>
#include <string_view>

namespace tasklens::testing {

struct ToolRun {
  int status;          // exit status; 127 when the program is not there
  std::string output;  // standard output and standard error
};

// Runs a shell command. When its program is missing the output says which Debian package has it:
// a test without its client fails.
ToolRun RunTool(const std::string& command);

// Writes `text` to a file of the test's own folder and gives its path.
std::string TestFile(const std::string& name, std::string_view text);

// `text` between single quotes of the shell.
std::string ShellQuote(std::string_view text);

}  // namespace tasklens::testing
