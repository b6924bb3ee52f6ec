// SPDX-License-Identifier: Apache-2.0
// The first line of a .prv: its objects and its unit of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tasklens {

struct PrvHeader {
  int64_t duration = 0, ns_per_unit = 1000;  // the document's unit is the microsecond
  int64_t unix_ns = 0;                       // the date, taken as UTC; 0: none
  bool has_cpus = false;
  uint64_t communicators = 0;  // so many lines follow that are no records
  struct Task {
    uint64_t threads;
    uint64_t first_thread;  // how many threads all tasks before it have
  };
  std::vector<Task> tasks;                   // of all applications
  std::vector<size_t> first_of_application;  // in tasks; and the end
};

// Of both dialects. Nothing when `line` is no such header.
std::optional<PrvHeader> ParsePrvHeader(std::string_view line);

}  // namespace tasklens
