// SPDX-License-Identifier: Apache-2.0
// Clp's C interface, loaded by name. It has no callback to stop it, so it solves in slices.
#include "analysis/solver/linear_program.h"

#include <Clp_C_Interface.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "trace/support/loaded_library.h"

namespace tasklens {
namespace {

struct Clp {
  LoadedLibrary library;
  decltype(&Clp_newModel) new_model = library["Clp_newModel"];
  decltype(&Clp_deleteModel) delete_model = library["Clp_deleteModel"];
  decltype(&Clp_loadProblem) load_problem = library["Clp_loadProblem"];
  decltype(&Clp_setLogLevel) set_log_level = library["Clp_setLogLevel"];
  decltype(&Clp_setMaximumIterations) set_maximum_iterations = library["Clp_setMaximumIterations"];
  decltype(&Clp_setMaximumSeconds) set_maximum_seconds = library["Clp_setMaximumSeconds"];
  decltype(&Clp_dual) dual = library["Clp_dual"];
  decltype(&Clp_status) status = library["Clp_status"];
  decltype(&Clp_numberIterations) iterations = library["Clp_numberIterations"];
  decltype(&Clp_objectiveValue) objective_value = library["Clp_objectiveValue"];
  decltype(&Clp_primalColumnSolution) column_solution = library["Clp_primalColumnSolution"];
};

const Result<Clp>& Loaded() {
  static const Result<Clp> loaded = LoadedLibrary::Load<Clp>(
      "libClp.so.1", "coinor-libclp1", "is of a version that we do not know: Clp 1.17 is wanted");
  return loaded;
}

// Values as Clp_status() gives them.
constexpr int kNotFinished = 3;
SolveStatus StatusOf(int clp_status) {
  switch (clp_status) {
    case 0: return SolveStatus::kOptimal;
    case 1: return SolveStatus::kInfeasible;
    case 2: return SolveStatus::kUnboundedBelow;
    default: return SolveStatus::kGaveUp;
  }
}

// The entries by column, as Clp requires.
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

// Solves until it is done, stopped, or out of time. A slice starts at the end of the previous one,
// which costs a factorization; so each is a quarter of all before. Slices are measured in
// iterations, because slices by the clock would reach different vertices of equal optima.
void SolveInSlices(const Clp& clp, Clp_Simplex* model, Stop stop, double limit_seconds) {
  constexpr int kFirstIterations = 500;  // more than most programs need
  const auto begin = std::chrono::steady_clock::now();
  for (int done = 0; !Stopped(stop);) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (passed.count() >= limit_seconds) return;
    clp.set_maximum_seconds(model, limit_seconds - passed.count());
    clp.set_maximum_iterations(model, std::max(kFirstIterations, done / 4));
    clp.dual(model, 0);  // not Clp_initialSolve(), which first presolves for seconds
    if (clp.status(model) != kNotFinished) return;
    done += clp.iterations(model);
  }
}

}  // namespace

Status SolverStatus() { return Loaded().status(); }

LinearSolution Solve(const LinearProgram& program, Stop stop, double limit_seconds) {
  LinearSolution solution;
  if (Stopped(stop) || !Loaded().ok()) return solution;
  const Clp& clp = *Loaded();
  const ColumnMatrix matrix(program);
  const std::unique_ptr<Clp_Simplex, decltype(&Clp_deleteModel)> model(clp.new_model(),
                                                                       clp.delete_model);
  clp.set_log_level(model.get(), 0);
  const auto columns = static_cast<int>(program.cost.size());
  const std::vector<double> zero(program.cost.size(), 0), top(program.cost.size(), kUnbounded);
  clp.load_problem(model.get(), columns, static_cast<int>(program.low.size()), matrix.starts.data(),
                   matrix.rows.data(), matrix.values.data(), zero.data(), top.data(),
                   program.cost.data(), program.low.data(), program.high.data());
  SolveInSlices(clp, model.get(), stop, limit_seconds);

  solution.status = StatusOf(clp.status(model.get()));
  if (solution.status != SolveStatus::kOptimal) return solution;
  solution.value = clp.objective_value(model.get());
  const double* x = clp.column_solution(model.get());
  solution.x.assign(x, x + columns);
  return solution;
}

}  // namespace tasklens
