// SPDX-License-Identifier: Apache-2.0
// Finds tasks and lines by a few letters or a number.
//
// A number (decimal, or hexadecimal after 0x) matches a whole job, tag or address of data; any text
// matches a part of a task's name, of FILE:LINE FUNCTION of its line, or of the name of its data,
// ignoring the case of ASCII letters.
//
// Pure; any thread. O(tasks + their data + texts).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct SearchResult {
  uint64_t count = 0;           // tasks that match
  std::vector<uint32_t> tasks;  // the best of them: by job, by tag, by name, by others; then by row
  std::vector<uint32_t> sites;  // by row
};

// Returns at most `most` tasks and sites. After `stop` the result is meaningless.
SearchResult Search(const TraceModel& model, std::string_view text, size_t most,
                    Stop stop = nullptr);

}  // namespace tasklens
