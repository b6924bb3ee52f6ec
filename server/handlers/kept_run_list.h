// SPDX-License-Identifier: Apache-2.0
// The list of kept runs, as requests change and answer it.
//
// Threads: the main thread, where a Host is given; else pure functions of a session.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/messages/messages.h"
#include "server/runs/kept_runs.h"
#include "server/session/host.h"

namespace tasklens {

// Puts the run into the session's list, in place of its older record, and deletes the oldest runs
// that are too many by the setting keepRuns, and closes their traces. Those whose trace was opened
// by hand stay as long as it is open.
void RememberRun(Host& host, const KeptRun& run);
void ForgetRun(Host& host, const std::string& id);
// They are no runs any more when this returns; what they held, which may be much, is removed beside
// other requests. Then `then` is called with a line for each that could not be.
using AfterDeletion = std::function<void(const std::vector<std::string>& failures)>;
// Forgets the open traces of the run.
void CloseTracesOf(Host& host, const KeptRun& run);
void DeleteRuns(Host& host, const std::vector<KeptRun>& runs, AfterDeletion then);

// The run `id` of the workspace as its folder has it now. kNotFound says where it was looked for.
Result<KeptRun> FindKeptRun(const Session& session, const std::string& id);

// A row of tasklens/runs.
messages::KeptRun KeptRunMessage(const Session& session, const KeptRun& run);

}  // namespace tasklens
