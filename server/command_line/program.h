// SPDX-License-Identifier: Apache-2.0
// Runs a program with commands: `tasklens` has all of them, the program of `./tasklens demo` only
// one.
#pragma once

#include <span>

#include "server/command_line/command.h"

namespace tasklens {

// Runs the command that the words name. Returns the exit status.
int RunProgram(int argc, char** argv, std::span<const CommandSpec* const> commands);

// Initializes the process, calls `run`, and checks that its output was written. Returns the exit
// status.
int RunMain(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace tasklens
