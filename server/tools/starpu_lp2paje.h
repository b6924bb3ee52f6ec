// SPDX-License-Identifier: Apache-2.0
// The twin of starpu_lp2paje: what a solver found for a program of starpu_bound_print_lp(), as a
// schedule in Paje's format.
//
//   lp_solve program.lp | starpu_lp2paje > paje.trace
//
// Differences from StarPU's: variables are known by their names and may come in any order, and some
// may be missing (StarPU's aborts); lines are in the order of time, so that Paje's readers show
// what runs.
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
