// SPDX-License-Identifier: Apache-2.0
// How a program is made to record its run, and where its traces are then found. Shared by the
// command line and the server, so that both leave the same files.
//
// The variables are StarPU's own, so the same works for a program built against our runtime
// (which writes trace_<rank>.tlt) and against a StarPU with FxT (which writes trace_<rank>). A run
// may leave more of ours: trace_<rank>.<n>.tlt, of the n-th starpu_init() of a process, and with
// the number of the process after that, where several processes are of one rank or of none.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

// The variables to set for a run whose traces go to `directory` (absolute). `all`: also what the
// program switches the recording off for; StarPU's own runtime does not know of it.
std::vector<std::pair<std::string, std::string>> TracedEnvironment(const std::string& directory,
                                                                   bool all = false);

// Trace files of a traced run in `directory`, by rank, and those of one rank by their numbers.
// Fails with kNotFound and a line that says what the user can do when the run left none.
Result<std::vector<std::string>> FindTraces(const std::string& directory);

// Makes an empty folder for one run below `parent`: parent/<program>-<date>-<time>[-n], absolute.
Result<std::string> NewRunDirectory(const std::string& parent, const std::string& program);

// `directory`, created when missing, absolute. Traces of an earlier run in it are removed, so that
// they are not taken for this one's.
Result<std::string> EmptyRunDirectory(const std::string& directory);

// Removes a run directory that stayed empty; leaves any other alone.
void RemoveIfEmpty(const std::string& directory);

}  // namespace tasklens
