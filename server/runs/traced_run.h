// SPDX-License-Identifier: Apache-2.0
// Makes a program record a trace of its run, and finds the trace files afterwards. The command line
// and the server share this code, so that both leave the same files.
//
// The variables are StarPU's own, so they work both for a program linked with our runtime (which
// writes trace_<rank>.tlt) and with a StarPU with FxT (trace_<rank>). Our runtime may write more
// files: trace_<rank>.<n>.tlt for the n-th starpu_init() of a process, with the process number
// appended if several processes have the same rank or none.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

// The variables for a run that writes its traces to `directory` (absolute). `all`: records also
// while the program has switched tracing off; StarPU's own runtime ignores this.
std::vector<std::pair<std::string, std::string>> TracedEnvironment(const std::string& directory,
                                                                   bool all = false);

// Returns the trace files in `directory`, ordered by rank and within a rank by number. If there are
// none, fails with kNotFound and a line that says what the user can do.
Result<std::vector<std::string>> FindTraces(const std::string& directory);

// Creates an empty folder for one run: parent/<program>-<date>-<time>[-n]. Returns the absolute
// path.
Result<std::string> NewRunDirectory(const std::string& parent, const std::string& program);

// Creates `directory` if necessary and returns its absolute path. Removes traces of an earlier run,
// so that they are not mistaken for new ones.
Result<std::string> EmptyRunDirectory(const std::string& directory);

// Removes a run directory if it is empty.
void RemoveIfEmpty(const std::string& directory);

}  // namespace tasklens
