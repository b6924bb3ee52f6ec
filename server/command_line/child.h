// SPDX-License-Identifier: Apache-2.0
// Runs a program in the foreground, with our terminal, and waits for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct ChildEnd {
  int exit_status = 0;  // REQUIRES signal == 0
  int signal = 0;       // the signal that killed it, 0: none
};

// `arguments[0]` is looked up in PATH when it has no slash. `environment` is added to ours.
// `working_directory` "" is ours. Interrupt and quit from the terminal reach the child alone; we go
// on waiting and report. A termination signal is passed on to it. The child is told to end when we
// die. Fails with kNotFound or kIo when the program cannot be started.
Result<ChildEnd> RunChild(const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& environment,
                          const std::string& working_directory = "");

// "" when it ended well, else "exited with status 3", "was killed by SIGSEGV (Segmentation fault)".
std::string Describe(const ChildEnd& end);

}  // namespace tasklens
