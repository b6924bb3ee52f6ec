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
  uint64_t communicators = 0;  // number of lines that follow and are no records
  struct Task {
    uint64_t threads;
    uint64_t first_thread;  // number of threads of all tasks before it
    uint64_t node;          // from 1; 0: none
  };
  std::vector<Task> tasks;                   // of all applications
  std::vector<size_t> first_of_application;  // in tasks; and the end
};

// The error for a file that does not begin with a header.
Status NotAPrv(const std::string& path);

// Parses a header of either dialect; returns nothing if `line` is no header.
std::optional<PrvHeader> ParsePrvHeader(std::string_view line);

}  // namespace tasklens
