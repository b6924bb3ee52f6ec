// SPDX-License-Identifier: Apache-2.0
// Runs a program in the foreground, on our terminal, and waits for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct ChildEnd {
  int exit_status = 0;  // if signal == 0
  int signal = 0;       // the signal that killed it; 0: none
};

// Runs `arguments[0]`, which is looked up in PATH if it has no slash. `environment` is added to
// ours; `working_directory` "" is ours. While the child runs, we ignore interrupt and quit, which
// the terminal sends to the child as well. SIGTERM and SIGHUP are forwarded to the child. If we
// die, the child gets SIGTERM. Fails with kNotFound or kIo if the program cannot be started.
// REQUIRES: one call at a time, because signal handlers are process-wide.
Result<ChildEnd> RunChild(const std::vector<std::string>& arguments,
                          const std::vector<std::pair<std::string, std::string>>& environment,
                          const std::string& working_directory = "");

// Returns "" for status 0, else "exited with status 3", "was killed by SIGSEGV (Segmentation
// fault)".
std::string Describe(const ChildEnd& end);

}  // namespace tasklens
