// SPDX-License-Identifier: Apache-2.0
// Prints strings of traces on a terminal. Names in a trace are untrusted bytes: printed raw, they
// could break a line in two, command the terminal (colours, titles, the cursor) or change the
// direction of the text that follows.
#pragma once

#include <string>
#include <string_view>

namespace tasklens {

// Appends `text` and escapes: control characters, with a line break as \n, others of ASCII as \x1b,
// those of Unicode's second block as \u009b; characters that change the direction of writing or
// break lines, as \u202e; bytes that are no UTF-8, as \xff. All else is unchanged.
void AppendPrintable(std::string& line, std::string_view text);

std::string Printable(std::string_view text);

}  // namespace tasklens
