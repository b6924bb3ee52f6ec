// SPDX-License-Identifier: Apache-2.0
// The twin of starpu_lp2paje: what a solver found for a program of starpu_bound_print_lp(), as a
// schedule in Paje's format.
//
//   lp_solve program.lp | starpu_lp2paje > paje.trace
//
// Differences from StarPU's:
// - Variables are known by their names and may come in any order, with text before them, and some
//   may be missing; what is no schedule is told in a line (StarPU's aborts).
// - Of several solutions (lp_solve -i) the last, which is the best, counts (StarPU's: the first).
// - Lines are in the order of time, so that Paje's readers show what runs.
// - Two tasks that share a worker are told of once, and not for the last digit that lp_solve prints
//   of six (StarPU's: twice, and for any digit).
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
  std::string summary;  // what StarPU's says beside it: a line, and one for each task
};
// `solution`: what lp_solve printed.
Result<LpSchedule> ScheduleOfSolution(std::string_view solution);

}  // namespace tasklens
