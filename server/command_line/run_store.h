// SPDX-License-Identifier: Apache-2.0
// Which run is meant where none is named. Runs of the shell and of editors lie in one place,
// .tasklens/runs of the workspace folder (server/runs/kept_runs.h), a folder each; older
// versions of `tasklens run` left theirs in tasklens-runs, which is read as well.
//
// Threads: they read the disk and the current folder, nothing else.
#pragma once

#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

// The workspace folder: the current one, or the nearest above it that holds runs.
std::string WorkspaceFolder();

// The folders of runs that have a trace, the newest first: of `folder` itself (a folder of runs),
// or, for "", of the workspace folder.
std::vector<std::string> NewestRuns(const std::string& folder = "");

// `named`; instead of nothing the newest run, and instead of a folder of runs the newest in it.
// Which one that is is said on standard error. kInvalidArgument where there is none.
Result<std::vector<std::string>> TracesOrNewest(const std::vector<std::string>& named);

}  // namespace tasklens
