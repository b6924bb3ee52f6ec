// SPDX-License-Identifier: Apache-2.0
// The program behind `./tasklens demo`. It has only the demo, so that a first build takes half as
// long.
#include "server/command_line/program.h"

namespace tasklens {

extern const CommandSpec kDemoCommand;

namespace {

int Main(int argc, char** argv) {
  static constexpr const CommandSpec* kCommands[] = {&kDemoCommand};
  return RunProgram(argc, argv, kCommands);
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) { return tasklens::RunMain(&tasklens::Main, argc, argv); }
