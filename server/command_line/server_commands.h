// SPDX-License-Identifier: Apache-2.0
// The commands that have the server in them: `serve`, and those that look at sources as it does.
//
// They are in a library of their own, libtasklens-server.so, that is loaded when one of them is
// asked for. With Qt, which they need, every start of the program took three times as long, and
// every command 7 MB more: as much as the whole conversion of a small trace.
//
// The library lies beside the program, or in PREFIX/lib/tasklens where that lies in PREFIX/bin. It
// is a part of the program, of the same build: what crosses the border are objects of C++.
#pragma once

#include <string_view>

#include "server/command_line/command.h"

namespace tasklens {

// The program knows these without the library.
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

// The one function of the library: the command `name`, nullptr for none of its own. Of another
// `version` than the library's there are none.
using FindServerCommand = const CommandSpec*(std::string_view version, std::string_view name);
inline constexpr const char* kFindServerCommand = "TasklensFindServerCommand";

}  // namespace tasklens
