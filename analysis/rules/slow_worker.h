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
  double times = 1;         // as long as on the others, the median of all that both ran
  int64_t beyond_ns = 0;    // that its tasks took longer, all together
  uint32_t site = kNone;    // whose tasks that were most
};

// The slowest of at least three workers of one architecture, if it takes at least twice as long as
// the others and at most a third of them do. So must its fastest tasks, of everything that it ran:
// at least two kinds of tasks, or one of tasks each of which has data of its own. Who runs the
// heaviest of tasks that come again and again need not be slow.
SlowWorker FindSlowWorkerOf(const TraceModel& model, std::span<const Fellows> fellows);

}  // namespace tasklens
