// SPDX-License-Identifier: Apache-2.0
// Strings of traces on a terminal. A trace's names are anybody's bytes: as they are, they could
// break a line in two, command the terminal (colours, titles, the cursor) or show what follows in
// another order than it has.
#pragma once

#include <string>
#include <string_view>

namespace tasklens {

// Appends `text` with these written out: control characters, a line break as \n, others of ASCII as
// \x1b, those of Unicode's second block as \u009b; what turns the direction of writing or breaks
// lines in Unicode, as \u202e; bytes that are no UTF-8, as \xff. Everything else stays as it is.
void AppendPrintable(std::string& line, std::string_view text);

std::string Printable(std::string_view text);

}  // namespace tasklens
