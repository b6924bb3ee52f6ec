// SPDX-License-Identifier: Apache-2.0
// Finds the trace files for a user's argument: a file, its name without ending, or a folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

// Returns the rank at the end of a trace's name ("prof_file_me_12", "trace_12.tlt"), or -1.
int64_t RankInName(std::string_view path);

// Replaces every path: a folder by its trace files, ordered by rank, including those of a process
// that started the runtime several times ("trace_0.2.tlt"); a missing X by X.tlt if that exists; a
// pattern (`*`, `?`, `[...]`) by the files that match it; all others stay. Fails if a folder holds
// no trace, or the traces of several runs (files whose names differ in more than the rank), and if
// nothing matches.
Result<std::vector<std::string>> TraceFiles(std::span<const std::string> paths);

}  // namespace tasklens
