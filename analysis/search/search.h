// SPDX-License-Identifier: Apache-2.0
// Tasks and lines that a person means by a few letters or a number.
//
// A number (decimal, or hexadecimal after 0x) means a job, a tag or the address of data as a whole;
// any text means a part of a task's name, of FILE:LINE FUNCTION of its line, or of the name of its
// data, whatever the case (of ASCII letters).
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
  uint64_t count = 0;           // tasks that answer to it
  std::vector<uint32_t> tasks;  // the best of them: by job, by tag, by name, by the rest, by row
  std::vector<uint32_t> sites;  // by row
};

// At most `most` tasks and sites. When `stop` says so the result is to be thrown away.
SearchResult Search(const TraceModel& model, std::string_view text, size_t most,
                    Stop stop = nullptr);

}  // namespace tasklens
