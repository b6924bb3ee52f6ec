// SPDX-License-Identifier: Apache-2.0
// What the tasks of a line cost in one run.
#pragma once

#include <cstdint>
#include <string>

namespace tasklens {

// A submission site in numbers that outlive the trace.
struct SiteTotals {
  std::string path;             // of the file that was found, else the name that the trace has
  uint32_t line = 0;            // from 1, of the text that was traced
  std::string function;         // that submitted
  uint64_t tasks = 0, ran = 0;  // ran: how often, where tasks were submitted again
  int64_t total_ns = 0;

  int64_t MeanNs() const { return ran ? total_ns / static_cast<int64_t>(ran) : 0; }
};

}  // namespace tasklens
