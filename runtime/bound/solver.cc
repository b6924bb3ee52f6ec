// SPDX-License-Identifier: Apache-2.0
// Cbc's C interface, found by name.
#include "runtime/bound/solver.h"

#include <Cbc_C_Interface.h>

#include <mutex>
#include <numeric>
#include <string>

#include "trace/support/loaded_library.h"

namespace tasklens::runtime {
namespace {

struct Cbc {
  LoadedLibrary library;
  decltype(&Cbc_newModel) new_model = library["Cbc_newModel"];
  decltype(&Cbc_deleteModel) delete_model = library["Cbc_deleteModel"];
  decltype(&Cbc_loadProblem) load_problem = library["Cbc_loadProblem"];
  decltype(&Cbc_setInteger) set_integer = library["Cbc_setInteger"];
  decltype(&Cbc_setParameter) set_parameter = library["Cbc_setParameter"];
  decltype(&Cbc_setLogLevel) set_log_level = library["Cbc_setLogLevel"];
  decltype(&Cbc_solve) solve = library["Cbc_solve"];
  decltype(&Cbc_isProvenOptimal) is_optimal = library["Cbc_isProvenOptimal"];
  decltype(&Cbc_isProvenInfeasible) is_infeasible = library["Cbc_isProvenInfeasible"];
  decltype(&Cbc_getObjValue) value = library["Cbc_getObjValue"];
  decltype(&Cbc_getBestPossibleObjValue) best_possible = library["Cbc_getBestPossibleObjValue"];
  decltype(&Cbc_getColSolution) solution = library["Cbc_getColSolution"];
};

// The terms by column, as Cbc wants them.
struct ColumnMatrix {
  std::vector<CoinBigIndex> starts;
  std::vector<int> rows;
  std::vector<double> values;

  explicit ColumnMatrix(const BoundProgram& program) : starts(program.columns.size() + 1) {
    for (const auto& row : program.rows)
      for (const auto& term : row.terms) ++starts[term.column + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    rows.resize(static_cast<size_t>(starts.back()));
    values.resize(rows.size());
    std::vector<CoinBigIndex> next(starts.begin(), starts.end() - 1);
    for (size_t row = 0; row < program.rows.size(); ++row)
      for (const auto& term : program.rows[row].terms) {
        const auto at = static_cast<size_t>(next[term.column]++);
        rows[at] = static_cast<int>(row);
        values[at] = term.factor;
      }
  }
};

void LoadProgram(const Cbc& cbc, Cbc_Model* model, const BoundProgram& program, bool whole) {
  const ColumnMatrix matrix(program);
  std::vector<double> zero(program.columns.size()), high(program.columns.size()), cost = zero;
  cost[0] = 1;
  for (size_t i = 0; i < program.columns.size(); ++i)
    high[i] = program.columns[i].kind == BoundProgram::Column::kZeroOrOne ? 1 : kUnlimited;
  std::vector<double> low_of_rows, high_of_rows;
  for (const auto& row : program.rows) {
    low_of_rows.push_back(row.low);
    high_of_rows.push_back(row.high);
  }
  cbc.load_problem(model, static_cast<int>(program.columns.size()),
                   static_cast<int>(program.rows.size()), matrix.starts.data(), matrix.rows.data(),
                   matrix.values.data(), zero.data(), high.data(), cost.data(), low_of_rows.data(),
                   high_of_rows.data());
  for (size_t i = 0; whole && i < program.columns.size(); ++i)
    if (program.columns[i].kind != BoundProgram::Column::kAny)
      cbc.set_integer(model, static_cast<int>(i));
}

}  // namespace

Result<BoundSolution> SolveBound(const BoundProgram& program, bool whole, double limit_seconds) {
  static std::mutex lock;  // the library has state of its own
  std::lock_guard guard(lock);
  static const Result<Cbc> loaded =
      LoadedLibrary::Load<Cbc>("libCbcSolver.so.3", "coinor-libcbc3",
                               "is of a version that we do not know: Cbc 2.10 is wanted");
  if (!loaded.ok()) return loaded.status();
  const Cbc& cbc = *loaded;
  Cbc_Model* const model = cbc.new_model();
  cbc.set_parameter(model, "log", "0");
  cbc.set_parameter(model, "slog", "0");
  cbc.set_log_level(model, 0);
  cbc.set_parameter(model, "sec", std::to_string(limit_seconds).c_str());
  cbc.set_parameter(model, "timeMode", "elapsed");
  LoadProgram(cbc, model, program, whole);
  cbc.solve(model);
  BoundSolution solution;
  Status status = Status::Ok();
  if (cbc.is_optimal(model)) {
    solution.value = cbc.value(model);
    const double* const x = cbc.solution(model);
    solution.x.assign(x, x + program.columns.size());
  } else if (cbc.is_infeasible(model)) {
    status = Status(ErrorCode::kInvalidArgument, "nothing solves the linear program");
  } else {
    solution.gave_up = true;
    // What was proved; of a program without whole numbers nothing.
    solution.value = whole ? cbc.best_possible(model) : 0;
  }
  cbc.delete_model(model);
  if (!status.ok()) return status;
  return solution;
}

}  // namespace tasklens::runtime
