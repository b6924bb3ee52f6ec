// SPDX-License-Identifier: Apache-2.0
// Random small runs for property tests of analyses.
#pragma once

#include <cstdint>

#include "trace/model/trace_model.h"

namespace tasklens::testing {

// A run that could have happened, of 1 to 12 tasks within some 60 ns: workers that do one thing at
// a time, tasks that are submitted before they are ready before they start, a few dependencies,
// states and copies. The same seed gives the same run.
TraceModel RandomRun(uint32_t seed);
// The same with workers of two architectures, and tasks of which some are for one of them.
TraceModel RandomRunOfUnlikeWorkers(uint32_t seed);

}  // namespace tasklens::testing
