// SPDX-License-Identifier: Apache-2.0
// Formats text for a terminal: lines of its width, and colours unless NO_COLOR (no-color.org) is
// set. Files and pipes get long lines without colours.
//
// Threads: functions that only read the state of standard output and the environment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tasklens {

// Returns the width of the terminal (80 if it is unknown), or 0 if standard output is not a
// terminal.
size_t TerminalColumns();

enum class Ink : unsigned char { kBold = 1, kRed = 31, kGreen = 32, kYellow = 33, kFaint = 2 };
// Returns `text`, coloured if colours are enabled. REQUIRES: the text is printable.
std::string Painted(std::string_view text, Ink paint);

// Breaks `text` at blanks into lines of at most `columns`, each indented by `indent` blanks; one
// line if `columns` is 0.
std::string Wrapped(std::string_view text, size_t columns, size_t indent);

}  // namespace tasklens
