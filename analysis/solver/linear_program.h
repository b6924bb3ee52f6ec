// SPDX-License-Identifier: Apache-2.0
// Small linear programs, solved by COIN-OR Clp. The library is loaded at the first use.
//
// Pure; any thread. Prints nothing. The time limit keeps a hard program from blocking the caller.
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
  std::vector<double> cost;       // one per column
  std::vector<double> low, high;  // one per row; -kUnbounded, kUnbounded: no limit on that side
  std::vector<Entry> entries;     // at most one for each (row, column)
};

// kGaveUp: out of time, stopped by the caller, or there is no solver: SolverStatus().
enum class SolveStatus : uint8_t { kOptimal, kInfeasible, kUnboundedBelow, kGaveUp };

struct LinearSolution {
  SolveStatus status = SolveStatus::kGaveUp;
  double value = 0;       // kOptimal: the minimum
  std::vector<double> x;  // kOptimal: the minimum's position
};

// REQUIRES: low and high are of one size; rows and columns of entries exist.
LinearSolution Solve(const LinearProgram& program, Stop stop = nullptr, double limit_seconds = 10);

// Whether this machine has a solver; if not, what to install.
Status SolverStatus();

}  // namespace tasklens
