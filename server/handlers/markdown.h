// SPDX-License-Identifier: Apache-2.0
// Pieces of Markdown that clients show in hovers.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics.h"

namespace tasklens {

// `text` as it reads, whatever it holds: names come from traces, so no mark of Markdown or HTML in
// them may take effect. One line; what is no UTF-8 becomes U+FFFD; longer than 200 bytes is cut,
// with an ellipsis.
std::string Escaped(std::string_view text);

// The same within a cell of a table.
inline std::string Cell(std::string_view text) { return Escaped(text); }

// Bars in eight heights, one a bar of the histogram: "▁▃█▂".
std::string Sparkline(const std::vector<HistogramBar>& bars);

}  // namespace tasklens
