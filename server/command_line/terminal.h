// SPDX-License-Identifier: Apache-2.0
// Text for whom reads it: lines as wide as the terminal, and colours, where standard output is one
// and NO_COLOR (no-color.org) does not forbid them. Files and pipes get long lines and no colour.
//
// Threads: they look at standard output and the environment, nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tasklens {

// How wide the terminal is; 0: standard output is none.
size_t TerminalColumns();

enum class Ink : unsigned char { kBold = 1, kRed = 31, kGreen = 32, kYellow = 33, kFaint = 2 };
// `text`, painted where colours are wanted. The text must be printable.
std::string Painted(std::string_view text, Ink paint);

// `text` in lines of at most `columns`, each behind `indent` blanks, with breaks at blanks alone;
// one line for 0.
std::string Wrapped(std::string_view text, size_t columns, size_t indent);

}  // namespace tasklens
