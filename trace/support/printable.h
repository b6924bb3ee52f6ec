// SPDX-License-Identifier: Apache-2.0
// Strings of traces on a terminal. A trace's names are anybody's bytes: as they are, they could
// break a line in two or command the terminal (colours, titles, the cursor).
#pragma once

#include <string>
#include <string_view>

namespace tasklens {

// Appends `text` with control characters written out: a line break as \n, others of ASCII as \x1b,
// those of Unicode's second block as \u009b. Everything else, UTF-8 included, stays as it is.
void AppendPrintable(std::string& line, std::string_view text);

std::string Printable(std::string_view text);

}  // namespace tasklens
