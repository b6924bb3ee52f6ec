// SPDX-License-Identifier: Apache-2.0
// Finds the run that a command uses if none is named. Runs of the shell and of editors are in
// .tasklens/runs of the workspace folder (server/runs/kept_runs.h), one folder each. Older versions
// of `tasklens run` used the folder tasklens-runs, which is read as well.
//
// Threads: functions without state; they read the disk and the current folder.
#pragma once

#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

// The workspace folder: the current one, or the nearest folder above it that contains runs.
std::string WorkspaceFolder();

// Returns the folders of runs with traces, the newest first: those in `folder` (a folder of runs),
// or for "" those of the workspace folder.
std::vector<std::string> NewestRuns(const std::string& folder = "");

// Returns `named`, with a folder of runs replaced by the newest run in it; without names, the
// newest run. Prints the choice on standard error. kInvalidArgument if there is no run.
Result<std::vector<std::string>> TracesOrNewest(const std::vector<std::string>& named);

}  // namespace tasklens
