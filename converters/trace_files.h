// SPDX-License-Identifier: Apache-2.0
// Which files are meant by what a user gives: a file, its name without ending, or a folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

// The rank that a trace's name ends with ("prof_file_me_12", "trace_12.tlt"), or -1.
int64_t RankInName(std::string_view path);

// Every path that is a folder replaced by the trace files in it, by rank, with those of a process
// that started the runtime several times ("trace_0.2.tlt"); a missing X by X.tlt
// where that exists; a pattern (`*`, `?`, `[...]`) by the files that match it; all others as they
// are. Fails when a folder holds no trace, or the traces of several runs (files that differ in more
// than their rank), and when nothing matches.
Result<std::vector<std::string>> TraceFiles(std::span<const std::string> paths);

}  // namespace tasklens
