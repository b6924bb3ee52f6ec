// SPDX-License-Identifier: Apache-2.0
// The commands that need the server: `serve`, and those that read source files.
//
// They are in a separate library, libtasklens-server.so, which is loaded when one of them is used.
// It needs Qt. Linked into the program, it tripled the time of every start and added 7 MB to the
// memory of every command, as much as the conversion of a small trace takes.
//
// The library is beside the program, or in PREFIX/lib/tasklens if the program is in PREFIX/bin. It
// must be of the same build, because C++ objects are passed between program and library.
#pragma once

#include <string_view>

#include "server/command_line/command.h"

namespace tasklens {

// The texts of a command, known without loading the library.
struct CommandText {
  std::string_view name, summary;
};
inline constexpr CommandText kDemoText = {"demo",
                                          "run an example, record its trace and write all outputs"};
inline constexpr CommandText kRunText = {"run", "run a program and record its trace"};
inline constexpr CommandText kReportText = {"report",
                                            "write a run as one page that opens in any browser"};
inline constexpr CommandText kServeText = {
    "serve", "run the language server for editors, or serve a page with --http"};

// The only function of the library. Returns the command `name`, or nullptr if the library does not
// have it or if `version` differs from the library's.
using FindServerCommand = const CommandSpec*(std::string_view version, std::string_view name);
inline constexpr const char* kFindServerCommand = "TasklensFindServerCommand";

}  // namespace tasklens
