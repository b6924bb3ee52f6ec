// SPDX-License-Identifier: Apache-2.0
// Replaces starpu_lp2paje: converts a solver's solution of a program of starpu_bound_print_lp() to
// a schedule in Paje's format.
//
//   lp_solve program.lp | starpu_lp2paje > paje.trace
//
// Differences from StarPU's:
// - Variables are recognized by name, in any order and after other text, and some may be missing.
//   Input that is not a schedule yields a one-line error (StarPU's aborts).
// - Of several solutions (lp_solve -i) the last counts, which is the best (StarPU's: the first).
// - Lines are sorted by time, so that Paje's readers show what runs.
// - Two tasks that overlap on a worker are reported once, and not for a difference in the last of
//   the six digits that lp_solve prints (StarPU's: twice, and for any difference).
// - --help and --version are on standard output, and other arguments are refused.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trace/support/status.h"

namespace tasklens {

int StarpuLp2Paje(std::span<const std::string> arguments);

struct LpSchedule {
  std::string paje;     // the trace
  std::string summary;  // the text that StarPU's tool prints: a line, and one for each task
};
// `solution`: the output of lp_solve.
Result<LpSchedule> ScheduleOfSolution(std::string_view solution);

}  // namespace tasklens
