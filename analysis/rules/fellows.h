// SPDX-License-Identifier: Apache-2.0
// Tasks that should take equally long.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// Of one line, name and footprint, on workers of one kind. In
// the order in which the trace mentions them first, which is mostly that of their submission.
struct Fellows {
  uint32_t site;
  StringId name;
  uint32_t footprint;
  WorkerArch arch;
  std::vector<uint32_t> tasks;
};

// Those of at least kManyTasks (context.h). O(tasks), 4 bytes a task.
std::vector<Fellows> FellowsOf(const TraceModel& model);

// REQUIRES: there are some.
int64_t MedianNs(std::vector<int64_t> lengths_ns);

}  // namespace tasklens
