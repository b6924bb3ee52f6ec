// SPDX-License-Identifier: Apache-2.0
// Markdown for hovers.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics.h"

namespace tasklens {

// Escapes `text` for Markdown and HTML: names come from traces, so no mark in them may take effect.
// The result is one line. Invalid UTF-8 becomes U+FFFD. Text above 200 bytes is cut and ends in an
// ellipsis.
std::string Escaped(std::string_view text);

// The same for a cell of a table.
inline std::string Cell(std::string_view text) { return Escaped(text); }

// Draws a histogram with bars of eight heights, one character a bar: "▁▃█▂".
std::string Sparkline(const std::vector<HistogramBar>& bars);

}  // namespace tasklens
