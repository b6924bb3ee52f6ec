// SPDX-License-Identifier: Apache-2.0
// Tasks that should take equally long.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// Tasks of one line, name and footprint, on workers of one kind, in the order of their first
// mention in the trace, which is mostly that of submission.
struct Fellows {
  uint32_t site;
  StringId name;
  uint32_t footprint;
  WorkerArch arch;
  std::vector<uint32_t> tasks;
};

// Returns groups of at least kManyTasks (context.h). O(tasks), 4 bytes per task.
std::vector<Fellows> FellowsOf(const TraceModel& model);

// REQUIRES: `lengths_ns` is not empty.
int64_t MedianNs(std::vector<int64_t> lengths_ns);

}  // namespace tasklens
