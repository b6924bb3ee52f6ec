// SPDX-License-Identifier: Apache-2.0
// From when StarPU's tool counts a task: paje.trace (GFlop/s) and distrib.data (lengths).
//
// Unless told otherwise (-no-smooth), it adds a gap between two tasks of a worker to the second one
// if it is shorter than twice the first. So its lengths contain what the runtime does for a task,
// which short tasks pay for; a longer gap is waiting, and belongs to none.
#pragma once

#include <cstdint>

#include "trace/model/trace_model.h"

namespace tasklens {

// `start_ns`, or the end of the worker's task before (kNever: there is none) if the gap is short.
inline int64_t CountedStart(int64_t start_ns, int64_t last_start_ns, int64_t last_end_ns) {
  if (last_end_ns == kNever) return start_ns;
  const int64_t gap_ns = start_ns - last_end_ns;
  return gap_ns >= 0 && gap_ns < 2 * (last_end_ns - last_start_ns) ? last_end_ns : start_ns;
}

}  // namespace tasklens
