// SPDX-License-Identifier: Apache-2.0
// Small linear programs, solved by COIN-OR Clp. Its library is loaded when it is first asked.
//
// Pure; any thread. Nothing is printed. The time limit keeps an odd program from hanging its
// caller.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/stop.h"
#include "trace/support/status.h"

namespace tasklens {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// min sum(cost[c] * x[c]) where x >= 0 and, for each row, low <= sum(value * x[column]) <= high.
struct LinearProgram {
  struct Entry {
    uint32_t row, column;
    double value;
  };
  std::vector<double> cost;       // one a column
  std::vector<double> low, high;  // one a row; -kUnbounded, kUnbounded: no limit on that side
  std::vector<Entry> entries;     // at most one for each (row, column)
};

// kGaveUp: the time was over, the caller had it stopped, or there is no solver: SolverStatus().
enum class SolveStatus : uint8_t { kOptimal, kInfeasible, kUnboundedBelow, kGaveUp };

struct LinearSolution {
  SolveStatus status = SolveStatus::kGaveUp;
  double value = 0;       // kOptimal: the minimum
  std::vector<double> x;  // kOptimal: where it is reached
};

// REQUIRES: low and high are of one size; rows and columns of entries exist.
LinearSolution Solve(const LinearProgram& program, Stop stop = nullptr, double limit_seconds = 10);

// Whether this machine has a solver; if not, what to install.
Status SolverStatus();

}  // namespace tasklens
