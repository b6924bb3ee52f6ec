// SPDX-License-Identifier: Apache-2.0
// Keeps the list of runs consistent with their folders.
#include "server/handlers/kept_run_list.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/text.h"
#include "server/protocol/message.h"
#include "server/runs/launch_file.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const OpenTrace> TraceOf(const Session& session, const KeptRun& run) {
  for (const auto& trace : session.traces)
    if (trace->Folder() == run.directory) return trace;
  return nullptr;
}

void SetRuns(Host& host, std::vector<KeptRun> runs) {
  auto list = std::make_shared<const std::vector<KeptRun>>(std::move(runs));
  host.Update([&](Session& session) { session.runs = list; });
}

// A run opens its trace when it ends. So if a newer run has ended, but its trace is not open behind
// this one, the user opened this one later.
bool WasOpenedByHand(const Session& session, const std::vector<KeptRun>& runs, const KeptRun& run) {
  const auto place_of = [&](const KeptRun& one) {
    return std::find(session.traces.begin(), session.traces.end(), TraceOf(session, one));
  };
  const auto place = place_of(run);
  if (place == session.traces.end()) return false;
  return std::any_of(runs.begin(), runs.end(), [&](const KeptRun& other) {
    if (other.started_ns <= run.started_ns || other.is_running) return false;
    const auto behind = place_of(other);
    return behind == session.traces.end() || behind < place;
  });
}

constexpr std::string_view kDeleted = ".deleted-";  // prefix of folders that are no longer runs

// Removes deleted runs in the folder `folder`, including those that an earlier server left. Returns
// one line for each that could not be removed.
std::vector<std::string> Sweep(const fs::path& folder) {
  std::vector<std::string> failures;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    if (!entry.path().filename().string().starts_with(kDeleted) || entry.is_symlink(ignored))
      continue;
    KeptRun run;
    run.directory = entry.path().string();
    if (const Status s = DeleteKeptRun(run); !s.ok()) failures.push_back(s.message());
  }
  return failures;
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
  std::vector<KeptRun> too_many = RunsTooMany(runs, host.session()->settings->keep_runs);
  std::erase_if(too_many, [&](const KeptRun& old_run) {
    return old_run.is_running || WasOpenedByHand(*host.session(), runs, old_run);
  });
  SetRuns(host, std::move(runs));
  if (too_many.empty()) return;
  for (const KeptRun& old_run : too_many) CloseTracesOf(host, old_run);
  DeleteRuns(
      host, too_many, [&host, count = too_many.size()](const std::vector<std::string>& failures) {
        for (const std::string& failure : failures)
          host.ShowMessage(Host::MessageType::kWarning, failure);
        if (failures.size() >= count) return;
        const std::string deleted = CountText(count - failures.size(), "old run");
        host.Notify("window/logMessage", {{"type", static_cast<int>(Host::MessageType::kInfo)},
                                          {"message", deleted + " deleted (setting keepRuns)"}});
      });
}

void CloseTracesOf(Host& host, const KeptRun& run) {
  const size_t open = host.session()->traces.size();
  host.Update([&](Session& session) {
    std::erase_if(session.traces,
                  [&](const auto& trace) { return trace->Folder() == run.directory; });
  });
  if (host.session()->traces.size() < open) host.TracesChanged();
}

void ForgetRun(Host& host, const std::string& id) {
  std::vector<KeptRun> runs = *host.session()->runs;
  std::erase_if(runs, [&](const KeptRun& run) { return run.id == id; });
  SetRuns(host, std::move(runs));
}

void DeleteRuns(Host& host, const std::vector<KeptRun>& runs, AfterDeletion then) {
  auto failures = std::make_shared<std::vector<std::string>>();
  std::set<fs::path> folders;
  for (const KeptRun& run : runs) {
    const fs::path folder = fs::path(run.directory).parent_path();
    std::error_code error;
    fs::rename(run.directory, folder / (std::string(kDeleted) + run.id), error);
    if (error) {
      failures->push_back(run.directory + ": cannot be deleted: " + error.message());
      continue;
    }
    folders.insert(folder);
    ForgetRun(host, run.id);
  }
  host.Beside(
      [failures, folders = std::move(folders)] {
        for (const fs::path& folder : folders)
          for (std::string& failure : Sweep(folder)) failures->push_back(std::move(failure));
      },
      [failures, then = std::move(then)] { then(*failures); });
}

Result<KeptRun> FindKeptRun(const Session& session, const std::string& id) {
  const std::string folder = RunsFolder(session.workspace_folder());
  // Only listed ids are accepted, so that no id leads to another path.
  for (KeptRun& run : ReadKeptRuns(folder))
    if (run.id == id) return std::move(run);
  return Status(ErrorCode::kNotFound, "no run is kept as '" + id + "' in " + folder);
}

messages::KeptRun KeptRunMessage(const Session& session, const KeptRun& run) {
  messages::KeptRun message{.kept = run.id,
                            .name = run.name,
                            .title = run.Title(),
                            .program = run.program,
                            .configuration = LaunchMessage(run.configuration),
                            .directory = run.directory,
                            .running = run.is_running,
                            .message = run.message};
  if (run.started_ns >= 0) message.started_ns = run.started_ns;
  if (run.ended_ns >= 0) message.ended_ns = run.ended_ns;
  if (run.exit_status >= 0) message.exit_status = run.exit_status;
  if (run.signal > 0) message.signal = run.signal;
  if (const auto trace = TraceOf(session, run)) message.trace = trace->id;
  return message;
}

}  // namespace tasklens
