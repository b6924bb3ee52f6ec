// SPDX-License-Identifier: Apache-2.0
// The first line of a .prv: its objects and its unit of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct PrvHeader {
  int64_t duration = 0, ns_per_unit = 1000;  // the document's unit is the microsecond
  int64_t unix_ns = 0;                       // the date, taken as UTC; 0: none
  uint64_t nodes = 0;                        // 0: the trace has no CPUs
  std::vector<uint64_t> cpus_of_node;        // empty: one each
  bool has_cpus() const { return nodes > 0; }
  uint64_t communicators = 0;  // so many lines follow that are no records
  struct Task {
    uint64_t threads;
    uint64_t first_thread;  // how many threads all tasks before it have
    uint64_t node;          // from 1; 0: none
  };
  std::vector<Task> tasks;                   // of all applications
  std::vector<size_t> first_of_application;  // in tasks; and the end
};

// What to say of a file that does not begin with one.
Status NotAPrv(const std::string& path);

// Of both dialects. Nothing when `line` is no such header.
std::optional<PrvHeader> ParsePrvHeader(std::string_view line);

}  // namespace tasklens
