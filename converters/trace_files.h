// SPDX-License-Identifier: Apache-2.0
// Which files are meant by what a user gives: a file, its name without ending, or a folder; and
// what they are called together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

struct TraceModel;

// The rank that a trace's name ends with ("prof_file_me_12", "trace_12.tlt"), or -1.
int64_t RankInName(std::string_view path);

// Every path that is a folder replaced by the trace files in it, by rank, with those of a process
// that started the runtime several times ("trace_0.2.tlt"); a missing X by X.tlt
// where that exists; a pattern (`*`, `?`, `[...]`) by the files that match it; all others as they
// are. Fails when a folder holds no trace, or the traces of several runs (files that differ in more
// than their rank), and when nothing matches.
Result<std::vector<std::string>> TraceFiles(std::span<const std::string> paths);

// What the rows of RankTable are called for people: "rank" of the processes of an MPI program;
// "run" of traces that belong to none, as of a process that started the runtime several times, or
// of recordings that were opened together.
std::string_view RankWord(const TraceModel& model);

}  // namespace tasklens
