// SPDX-License-Identifier: Apache-2.0
// Clp, asked at each of its iterations whether to go on.
#include "analysis/solver/linear_program.h"

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#include <numeric>

namespace tasklens {
namespace {

// Values as ClpSimplex::status() gives them.
SolveStatus StatusOf(int clp_status) {
  switch (clp_status) {
    case 0: return SolveStatus::kOptimal;
    case 1: return SolveStatus::kInfeasible;
    case 2: return SolveStatus::kUnboundedBelow;
    default: return SolveStatus::kGaveUp;
  }
}

// The entries by column, as Clp wants them.
struct ColumnMatrix {
  std::vector<CoinBigIndex> starts;
  std::vector<int> rows;
  std::vector<double> values;

  explicit ColumnMatrix(const LinearProgram& program)
      : starts(program.cost.size() + 1), rows(program.entries.size()), values(rows.size()) {
    for (const LinearProgram::Entry& entry : program.entries) ++starts[entry.column + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<CoinBigIndex> next(starts.begin(), starts.end() - 1);
    for (const LinearProgram::Entry& entry : program.entries) {
      const auto at = static_cast<size_t>(next[entry.column]++);
      rows[at] = static_cast<int>(entry.row);
      values[at] = entry.value;
    }
  }
};

// Ends the solver's loop when nobody waits any more.
class StopHandler : public ClpEventHandler {
 public:
  explicit StopHandler(Stop stop) : stop_(stop) {}
  int event(Event) override { return Stopped(stop_) ? kEnd : kGoOn; }
  ClpEventHandler* clone() const override { return new StopHandler(*this); }

 private:
  static constexpr int kGoOn = -1, kEnd = 5;
  Stop stop_;
};

}  // namespace

LinearSolution Solve(const LinearProgram& program, Stop stop, double limit_seconds) {
  LinearSolution solution;
  if (Stopped(stop)) return solution;
  const ColumnMatrix matrix(program);
  ClpSimplex clp;
  clp.setLogLevel(0);
  const StopHandler handler(stop);
  clp.passInEventHandler(&handler);
  const auto columns = static_cast<int>(program.cost.size());
  const std::vector<double> zero(program.cost.size(), 0), top(program.cost.size(), kUnbounded);
  clp.loadProblem(columns, static_cast<int>(program.low.size()), matrix.starts.data(),
                  matrix.rows.data(), matrix.values.data(), zero.data(), top.data(),
                  program.cost.data(), program.low.data(), program.high.data());
  clp.setMaximumSeconds(limit_seconds);
  clp.dual();  // not initialSolve(): that asks nobody while it simplifies, which takes seconds

  solution.status = StatusOf(clp.status());
  if (solution.status != SolveStatus::kOptimal) return solution;
  solution.value = clp.objectiveValue();
  const double* x = clp.primalColumnSolution();
  solution.x.assign(x, x + columns);
  return solution;
}

}  // namespace tasklens
