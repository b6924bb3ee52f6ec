// SPDX-License-Identifier: Apache-2.0
// The real traces of tests/data/starpu and starpu_master, for tests that have them as `data`.
#pragma once

#include <string>
#include <vector>

namespace tasklens::testing {

// "hello", "mpi2", ...: every folder, sorted; of StarPU 1.4.
std::vector<std::string> StarpuTraces();
// The same of StarPU after 1.4. No name is in both.
std::vector<std::string> StarpuMasterTraces();
// The paths of the trace files of `trace`, one for each rank.
std::vector<std::string> StarpuTraceFiles(const std::string& trace);
// The path of what StarPU's tool made, e.g. "tasks.rec"; it may not exist (it was empty).
std::string StarpuReference(const std::string& trace, const std::string& file);

// A file's bytes, "" when it does not exist.
std::string ReadFile(const std::string& path);

}  // namespace tasklens::testing
