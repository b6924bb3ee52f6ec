// SPDX-License-Identifier: Apache-2.0
// The cost of the tasks of a line in one run.
#pragma once

#include <cstdint>
#include <string>

namespace tasklens {

// The totals of a submission site, kept longer than the trace.
struct SiteTotals {
  std::string path;             // of the file if it was found, else the name in the trace
  uint32_t line = 0;            // from 1, in the text that was traced
  std::string function;         // the function that submitted
  uint64_t tasks = 0, ran = 0;  // ran: executions; a task may be submitted again
  int64_t total_ns = 0;

  int64_t MeanNs() const { return ran ? total_ns / static_cast<int64_t>(ran) : 0; }
};

}  // namespace tasklens
