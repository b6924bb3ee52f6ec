// SPDX-License-Identifier: Apache-2.0
// Clp through its C interface.
#include "analysis/solver/linear_program.h"

#include <Clp_C_Interface.h>

#include <memory>
#include <numeric>

namespace tasklens {
namespace {

// Values as Clp_status() gives them.
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

}  // namespace

LinearSolution Solve(const LinearProgram& program, double limit_seconds) {
  const ColumnMatrix matrix(program);
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> clp(Clp_newModel(), &Clp_deleteModel);
  Clp_setLogLevel(clp.get(), 0);
  const auto columns = static_cast<int>(program.cost.size());
  const std::vector<double> zero(program.cost.size(), 0), top(program.cost.size(), kUnbounded);
  Clp_loadProblem(clp.get(), columns, static_cast<int>(program.low.size()), matrix.starts.data(),
                  matrix.rows.data(), matrix.values.data(), zero.data(), top.data(),
                  program.cost.data(), program.low.data(), program.high.data());
  Clp_setMaximumSeconds(clp.get(), limit_seconds);
  Clp_initialSolve(clp.get());

  LinearSolution solution;
  solution.status = StatusOf(Clp_status(clp.get()));
  if (solution.status != SolveStatus::kOptimal) return solution;
  solution.value = Clp_getObjValue(clp.get());
  const double* x = Clp_getColSolution(clp.get());
  solution.x.assign(x, x + columns);
  return solution;
}

}  // namespace tasklens
