// SPDX-License-Identifier: Apache-2.0
// A command of the program `tasklens`: one file, and one line in commands.inc.
//
// kExitStatuses lists the exit statuses of all commands. An error is one line on standard error:
// the error, its place, and the remedy.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "server/command_line/options.h"
#include "trace/support/status.h"

namespace tasklens {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFault = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitRegression = 3;
inline constexpr std::pair<int, std::string_view> kExitStatuses[] = {
    {kExitDone, "done"},
    {kExitFault, "the input is faulty, or the program that was run failed"},
    {kExitUsage, "wrong usage"},
    {kExitRegression, "compare: a run is slower than --threshold allows"},
};

struct CommandSpec {
  std::string_view name;
  std::string_view summary;  // one line, for --help
  // Declares the options of the command on `cli`. Returns the function that runs the command after
  // the command line was parsed, and that returns the exit status.
  std::function<int()> (*declare)(OptionSet& cli);
  // The command describes the options of all commands, so all of them must be declared.
  bool is_about_all = false;
};

// Prints "tasklens: MESSAGE" on standard error. Returns the exit status for the error.
int Fail(const Status& status);

}  // namespace tasklens
