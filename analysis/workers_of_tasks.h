// SPDX-License-Identifier: Apache-2.0
// Who else executed a task. A parallel task has a state on each of its workers, and only one of
// them in its own row of the model.
//
// Pure; any thread. O(states of workers).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct Participation {
  uint32_t task, worker;        // rows
  int64_t start_ns, length_ns;  // of the worker's state
};

// The workers of parallel tasks besides model.tasks.worker, by worker.
std::vector<Participation> OtherWorkers(const TraceModel& model);

}  // namespace tasklens
