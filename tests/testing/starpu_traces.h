// SPDX-License-Identifier: Apache-2.0
// The real traces of tests/data/starpu, for tests that have them as `data`.
#pragma once

#include <string>
#include <vector>

namespace tasklens::testing {

// "hello", "mpi2", ...: every folder, sorted.
std::vector<std::string> StarpuTraces();
// The paths of the trace files of `trace`, one for each rank.
std::vector<std::string> StarpuTraceFiles(const std::string& trace);
// The path of what StarPU's tool made, e.g. "tasks.rec"; it may not exist (it was empty).
std::string StarpuReference(const std::string& trace, const std::string& file);

// A file's bytes, "" when it does not exist.
std::string ReadFile(const std::string& path);

}  // namespace tasklens::testing
