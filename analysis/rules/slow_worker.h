// SPDX-License-Identifier: Apache-2.0
// A worker that takes longer for the same tasks than others of its kind.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/rules/fellows.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct SlowWorker {
  uint32_t worker = kNone;  // row; kNone: there is none
  double times = 1;  // median over all common kinds of tasks of its time relative to the others
  int64_t beyond_ns = 0;  // excess time of its tasks, summed
  uint32_t site = kNone;  // site of most of them
};

// Returns the slowest of at least three workers of one architecture, if it takes at least twice as
// long as the others and at most a third of them do. The same must hold for its fastest tasks, in
// each group that it ran: at least two groups, or one whose tasks each have data of their own.
// Otherwise a worker that only runs the heaviest of repeated tasks would be taken for slow.
SlowWorker FindSlowWorkerOf(const TraceModel& model, std::span<const Fellows> fellows);

}  // namespace tasklens
