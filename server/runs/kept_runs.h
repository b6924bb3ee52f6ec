// SPDX-License-Identifier: Apache-2.0
// Kept runs: one folder for each, with its traces and a record of how it was run.
//
// The record is run.json: {"version": 1, "name", "program", "configuration", "startedNs",
// "endedNs", "builtNs", "exitStatus", "signal", "message", "sites"}. It is written without an end
// when the run starts, and again when the run has ended. If the server died before, the record has
// no end; then the guard's report (see guarded_process.h), kept beside it as `guard` until then,
// says how the run ended or that it still runs. A folder without a readable record is also a run,
// with no other information.
//
// Threads: pure functions; they read and write files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/runs/launch_configuration.h"
#include "server/runs/site_totals.h"
#include "trace/support/status.h"

namespace tasklens {

struct KeptRun {
  std::string id;         // the folder's name: "cholesky-20261121-153000"
  std::string directory;  // absolute
  std::string name;       // given by the user, "" none
  std::string program;    // absolute path, "" unknown
  LaunchConfiguration configuration;
  int64_t started_ns = -1, ended_ns = -1;  // Unix time; -1 unknown
  int64_t built_ns = -1;                   // start of the build before the run; -1: none
  int exit_status = -1, signal = 0;        // as in ProcessEnd
  bool is_running = false;                 // according to its guard
  bool is_alone = false;                   // it runs, but the server that started it has gone
  std::string message;                     // about its end, for people
  std::vector<SiteTotals> sites;           // totals of its trace

  // The user's name for the run, else the program's name, else the folder's.
  std::string Title() const;
};

// The folder for runs of the workspace folder `folder`; in the user's cache for "".
std::string RunsFolder(const std::string& folder);
// Makes a new folder there for a run of `program`, or in the user's cache if the workspace is not
// writable. Version control ignores the folder.
Result<std::string> MakeRunDirectory(const std::string& folder, const std::string& program);

// Returns the runs below `runs_folder`, the newest first; none if the folder does not exist.
std::vector<KeptRun> ReadKeptRuns(const std::string& runs_folder);
KeptRun ReadKeptRun(const std::string& directory);
Status WriteKeptRun(const KeptRun& run);
Status DeleteKeptRun(const KeptRun& run);
// The path of the guard's report for the run in `directory`.
std::string GuardReport(const std::string& directory);
// Removes only the record and the guard's report.
void RemoveRecord(const KeptRun& run);

// Returns the oldest runs without a name beyond the `keep` newest (0: keep all). `runs`: the newest
// first.
std::vector<KeptRun> RunsTooMany(const std::vector<KeptRun>& runs, uint32_t keep);

}  // namespace tasklens
