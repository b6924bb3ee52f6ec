// SPDX-License-Identifier: Apache-2.0
// A program with commands: `tasklens` has all of them, the one behind `./tasklens demo` has few.
#pragma once

#include <span>

#include "server/command_line/command.h"

namespace tasklens {

// Runs the command that the words name, of those in `commands`. Returns the exit status.
int RunProgram(int argc, char** argv, std::span<const CommandSpec* const> commands);

// Sets up what holds for the whole process, calls `run`, and makes sure that what it printed is
// out. Returns the exit status.
int RunMain(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace tasklens
