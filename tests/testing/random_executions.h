// SPDX-License-Identifier: Apache-2.0
// Random runs whose tasks pause, go on elsewhere, are executed again, have several workers or no
// length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens::testing {

// A trace, and what is true of it.
struct RandomExecutions {
  TestTrace trace{false};
  size_t tasks = 0, executions = 0, pieces = 0;  // pieces: what a worker did at a time
  int64_t ran_ns = 0;                            // of all pieces
  int64_t in_contexts_ns = 0;                    // of those of tasks in a context of their own
};

// `ranks` of them, of one run of MPI or, where `are_runs`, runs of their own.
RandomExecutions MakeRandomExecutions(std::mt19937& random, uint32_t ranks, bool are_runs);

}  // namespace tasklens::testing
