// SPDX-License-Identifier: Apache-2.0
// Keeps the list and the folders in step.
#include "server/handlers/kept_run_list.h"

#include <algorithm>

#include "analysis/text.h"

namespace tasklens {
namespace {

json OrNull(int64_t value, bool is_known) { return is_known ? json(value) : json(); }

std::shared_ptr<const OpenTrace> TraceOf(const Session& session, const KeptRun& run) {
  for (const auto& trace : session.traces)
    if (trace->Folder() == run.directory) return trace;
  return nullptr;
}

void SetRuns(Host& host, std::vector<KeptRun> runs) {
  auto list = std::make_shared<const std::vector<KeptRun>>(std::move(runs));
  host.Update([&](Session& session) { session.runs = list; });
}

}  // namespace

void RememberRun(Host& host, const KeptRun& run) {
  std::vector<KeptRun> runs = *host.session()->runs;
  const auto old = std::find_if(runs.begin(), runs.end(),
                                [&](const KeptRun& other) { return other.id == run.id; });
  if (old != runs.end()) {
    *old = run;
  } else {
    runs.insert(runs.begin(), run);
  }
  size_t deleted = 0;
  for (const KeptRun& old_run : RunsTooMany(runs, host.session()->settings->keep_runs)) {
    if (old_run.is_running || TraceOf(*host.session(), old_run)) continue;
    if (Status s = DeleteKeptRun(old_run); !s.ok()) {
      host.ShowMessage(Host::MessageType::kWarning, s.message());
      continue;
    }
    std::erase_if(runs, [&](const KeptRun& other) { return other.id == old_run.id; });
    ++deleted;
  }
  SetRuns(host, std::move(runs));
  if (deleted > 0)
    host.Notify("window/logMessage",
                {{"type", static_cast<int>(Host::MessageType::kInfo)},
                 {"message", CountText(deleted, "old run") + " deleted (setting keepRuns)"}});
}

void ForgetRun(Host& host, const std::string& id) {
  std::vector<KeptRun> runs = *host.session()->runs;
  std::erase_if(runs, [&](const KeptRun& run) { return run.id == id; });
  SetRuns(host, std::move(runs));
}

Result<KeptRun> FindKeptRun(const Session& session, const std::string& id) {
  const std::string folder = RunsFolder(session.workspace_folder());
  // Only what is listed can be named, so no path leads elsewhere.
  for (KeptRun& run : ReadKeptRuns(folder))
    if (run.id == id) return std::move(run);
  return Status(ErrorCode::kNotFound, "no run is kept as '" + id + "' in " + folder);
}

json KeptRunJson(const Session& session, const KeptRun& run) {
  const auto trace = TraceOf(session, run);
  return {{"kept", run.id},
          {"name", run.name},
          {"title", run.Title()},
          {"program", run.program},
          {"configuration", LaunchJson(run.configuration)},
          {"directory", run.directory},
          {"startedNs", OrNull(run.started_ns, run.started_ns >= 0)},
          {"endedNs", OrNull(run.ended_ns, run.ended_ns >= 0)},
          {"running", run.is_running},
          {"exitStatus", OrNull(run.exit_status, run.exit_status >= 0)},
          {"signal", OrNull(run.signal, run.signal > 0)},
          {"message", run.message},
          {"trace", trace ? json(trace->id) : json()}};
}

}  // namespace tasklens
