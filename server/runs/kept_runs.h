// SPDX-License-Identifier: Apache-2.0
// Runs that were made and kept: a folder each, with the traces and a record of how it was run.
//
// The record is run.json: {"version": 1, "name", "program", "configuration", "startedNs",
// "endedNs", "builtNs", "exitStatus", "signal", "message", "sites"}. It is written when the run
// starts, without an end, and again when it has ended. A run whose server died first has no end in
// its record; the report of its guard (see guarded_process.h), which lies beside it as `guard`
// until then, says how it ended, or that it runs still. Folders without a readable record are runs
// as well, of which nothing is known.
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
  std::string name;       // the user's, "" none
  std::string program;    // absolute path, "" unknown
  LaunchConfiguration configuration;
  int64_t started_ns = -1, ended_ns = -1;  // Unix time; -1 unknown
  int64_t built_ns = -1;                   // when the build before it began; -1: none
  int exit_status = -1, signal = 0;        // as in ProcessEnd
  bool is_running = false;                 // as far as its guard says it
  bool is_alone = false;                   // runs, and the server that started it has gone
  std::string message;                     // what is to say about its end
  std::vector<SiteTotals> sites;           // of its trace

  // The user's name, else the program's, else the folder's.
  std::string Title() const;
};

// Where runs of the workspace folder `folder` are kept; in the user's cache for "".
std::string RunsFolder(const std::string& folder);
// A new folder there for a run of `program`; in the user's cache where the workspace cannot be
// written. Version control does not see it.
Result<std::string> MakeRunDirectory(const std::string& folder, const std::string& program);

// The runs below `runs_folder`, the newest first; none when there is no such folder.
std::vector<KeptRun> ReadKeptRuns(const std::string& runs_folder);
KeptRun ReadKeptRun(const std::string& directory);
Status WriteKeptRun(const KeptRun& run);
Status DeleteKeptRun(const KeptRun& run);
// Where the guard of the run in `directory` leaves its report.
std::string GuardReport(const std::string& directory);
// Removes the record, and the guard's report, only.
void RemoveRecord(const KeptRun& run);

// Those that are too many when `keep` runs without a name may stay (0: all may), the oldest of
// them. `runs`: the newest first.
std::vector<KeptRun> RunsTooMany(const std::vector<KeptRun>& runs, uint32_t keep);

}  // namespace tasklens
