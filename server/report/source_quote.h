// SPDX-License-Identifier: Apache-2.0
// The lines around a line of source, to be quoted beside a task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/protocol/text.h"

namespace tasklens {

struct SourceQuote {
  uint32_t first_line = 0;  // from 1; 0: the text has no such line
  std::vector<std::string> lines;
};

// Line `line` (from 1) with some lines before and after it; of a line at most some 300 bytes.
SourceQuote QuoteLine(const Text& text, uint32_t line);

}  // namespace tasklens
