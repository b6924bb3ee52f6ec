// SPDX-License-Identifier: Apache-2.0
// The lines around a line of source, to be quoted beside a task: as they were when the program was
// made, which is what the trace names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/protocol/text.h"
#include "server/session/session.h"
#include "trace/support/status.h"

namespace tasklens {

struct SourceQuote {
  uint32_t first_line = 0;  // from 1; 0: the text has no such line
  std::vector<std::string> lines;
};

struct TracedSource {
  Text text;
  std::string note;  // what is to be known before the text is believed; "" nothing
};

// The text of the file at `path`, of which `trace` names lines: as it was when the program was
// made, where that is known, else as it is now. Fails when there is neither. Reads the disk; any
// thread.
Result<TracedSource> ReadTracedSource(const OpenTrace& trace, const std::string& path);

// Line `line` (from 1) with some lines before and after it; of a line at most some 300 bytes.
SourceQuote QuoteLine(const Text& text, uint32_t line);

}  // namespace tasklens
