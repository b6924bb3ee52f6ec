// SPDX-License-Identifier: Apache-2.0
// Changes and queries of the list of kept runs.
//
// Threads: functions with a Host on the main thread only; the others are pure functions of a
// session.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/messages/messages.h"
#include "server/runs/kept_runs.h"
#include "server/session/host.h"

namespace tasklens {

// Adds the run to the session's list, or replaces its older record. Then deletes the oldest runs
// beyond the setting keepRuns and closes their traces. A run whose trace the user opened stays
// while that trace is open.
void RememberRun(Host& host, const KeptRun& run);
void ForgetRun(Host& host, const std::string& id);
// Deletes runs. They are no longer runs when this returns; their files, which may be many, are
// removed in the background. Then calls `then` with one line for each failure.
using AfterDeletion = std::function<void(const std::vector<std::string>& failures)>;
// Closes the open traces of the run.
void CloseTracesOf(Host& host, const KeptRun& run);
void DeleteRuns(Host& host, const std::vector<KeptRun>& runs, AfterDeletion then);

// Reads the run `id` of the workspace from its folder. kNotFound says where it was looked for.
Result<KeptRun> FindKeptRun(const Session& session, const std::string& id);

// The run as a row of tasklens/runs.
messages::KeptRun KeptRunMessage(const Session& session, const KeptRun& run);

}  // namespace tasklens
