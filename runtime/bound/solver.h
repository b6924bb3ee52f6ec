// SPDX-License-Identifier: Apache-2.0
// Linear programs, solved by COIN-OR Cbc. Its library is loaded when it is first asked: programs
// that want no bound do without.
//
// Threads: one at a time, by a lock. Nothing is printed.
#pragma once

#include <vector>

#include "runtime/bound/program.h"
#include "trace/support/status.h"

namespace tasklens::runtime {

struct BoundSolution {
  double value = 0;
  std::vector<double> x;  // of the columns; empty where it was given up
  bool gave_up = false;   // the time was over: no solution is below `value`
};

// `whole`: with the columns that are to be whole. Fails where there is no library, and where there
// is no solution.
Result<BoundSolution> SolveBound(const BoundProgram& program, bool whole,
                                 double limit_seconds = 60);

}  // namespace tasklens::runtime
