// SPDX-License-Identifier: Apache-2.0
// Quotes the source lines around a line of a trace, from the text that the program was built from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/protocol/text.h"
#include "server/session/session.h"
#include "trace/support/status.h"

namespace tasklens {

struct SourceQuote {
  uint32_t first_line = 0;  // from 1; 0: there is no such line
  std::vector<std::string> lines;
};

struct TracedSource {
  Text text;
  std::string note;  // a caveat about the text; "" none
};

// Returns the text of the file at `path`, whose lines `trace` refers to: the text that the program
// was built from if it is known, else the present one. Fails if there is neither. Reads the disk.
// Threads: any.
Result<TracedSource> ReadTracedSource(const OpenTrace& trace, const std::string& path);

// Quotes line `line` (from 1) with a few lines around it. Long lines are cut at about 300 bytes.
SourceQuote QuoteLine(const Text& text, uint32_t line);

}  // namespace tasklens
