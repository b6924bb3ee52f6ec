// SPDX-License-Identifier: Apache-2.0
// Reads and writes the records of runs.
#include "server/runs/kept_runs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "server/messages/json_reader.h"
#include "server/protocol/fields.h"
#include "server/protocol/parse_json.h"
#include "server/runs/guarded_process.h"
#include "server/runs/launch_file.h"
#include "server/runs/traced_run.h"
#include "server/sources/foreign_file.h"
#include "server/sources/source_map.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "run.json";
constexpr uintmax_t kMaxRecordBytes = uintmax_t{64} << 20;

std::string CacheFolder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && cache[0] == '/')
    return std::string(cache) + "/tasklens";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/tasklens";
  return "/tmp/tasklens-" + std::to_string(getuid());
}

struct SiteRow {
  SiteTotals totals;
  void Visit(Fields& fields) {
    int64_t tasks = 0, ran = 0;
    fields.Required("file", totals.path);
    fields.Required("line", totals.line);
    fields.Optional("function", totals.function);
    fields.Required("tasks", tasks);
    fields.Required("ran", ran);
    fields.Required("totalNs", totals.total_ns);
    if (tasks < 0 || ran < 0) fields.Fail("tasks", "must not be negative");
    totals.tasks = static_cast<uint64_t>(tasks);
    totals.ran = static_cast<uint64_t>(ran);
  }
};

struct Record {
  uint32_t version = 0;
  std::string name, program, message;
  messages::LaunchConfiguration configuration;
  int64_t started_ns = -1, ended_ns = -1, built_ns = -1, exit_status = -1, signal = 0;
  std::vector<SiteRow> sites;
  void Visit(Fields& fields) {
    fields.Required("version", version);
    fields.Optional("name", name);
    fields.Optional("program", program);
    fields.Optional("message", message);
    fields.Optional("configuration", configuration);
    fields.Optional("startedNs", started_ns);
    fields.Optional("endedNs", ended_ns);
    fields.Optional("builtNs", built_ns);
    fields.Optional("exitStatus", exit_status);
    fields.Optional("signal", signal);
    fields.Optional("sites", sites);
  }
};

// Completes a record without an end from the guard's report.
void FindEnd(KeptRun& run) {
  const std::string report = GuardReport(run.directory);
  const PastEnd past = PastEndOf(report);
  if (!past.is_known) return;
  run.is_running = past.is_running;
  run.is_alone = past.is_alone;
  if (past.is_running) {
    run.message = "it is still running";
    return;
  }
  run.message = "its server ended first; ";
  if (!past.end) {
    run.message += "how the program ended is not known";
    return;
  }
  run.message += fs::path(run.program).filename().string() + " " + Describe(*past.end);
  run.ended_ns = ModifiedNs(report);
  run.exit_status = past.end->exit_status;
  run.signal = past.end->signal;
}

}  // namespace

std::string KeptRun::Title() const {
  if (!name.empty()) return name;
  return program.empty() ? id : fs::path(program).filename().string();
}

std::string RunsFolder(const std::string& folder) {
  return folder.empty() ? CacheFolder() + "/runs" : (fs::path(folder) / ".tasklens/runs").string();
}

Result<std::string> MakeRunDirectory(const std::string& folder, const std::string& program) {
  if (!folder.empty()) {
    const std::string runs = RunsFolder(folder);
    Result<std::string> made = NewRunDirectory(runs, program);
    if (made.ok()) {
      if (!fs::exists(runs + "/.gitignore")) std::ofstream(runs + "/.gitignore") << "*\n";
      return made;
    }
  }
  return NewRunDirectory(RunsFolder(""), program);
}

KeptRun ReadKeptRun(const std::string& directory) {
  KeptRun run;
  run.directory = directory;
  run.id = fs::path(directory).filename().string();
  const std::string path = directory + "/" + kRecord;
  const std::string text = ReadForeignFile(path, kMaxRecordBytes).value_or("");
  const json root = ParseJson(text);
  Fields fields(root, path);
  Record record;
  record.Visit(fields);
  if (!fields.status().ok() || record.version != 1) {
    run.started_ns = run.ended_ns = ModifiedNs(directory);
    return run;
  }
  run.name = std::move(record.name);
  run.program = std::move(record.program);
  run.message = std::move(record.message);
  SetGiven(record.configuration, run.configuration);
  run.started_ns = record.started_ns;
  run.ended_ns = record.ended_ns;
  run.built_ns = record.built_ns;
  run.exit_status = static_cast<int>(record.exit_status);
  run.signal = static_cast<int>(record.signal);
  for (SiteRow& row : record.sites) run.sites.push_back(std::move(row.totals));
  if (run.ended_ns < 0) FindEnd(run);
  return run;
}

namespace {

void AddKeptRuns(const std::string& folder, std::vector<KeptRun>& runs) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    // A run that is being deleted has a hidden folder.
    const bool is_hidden = entry.path().filename().string().starts_with('.');
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored) && !is_hidden)
      runs.push_back(ReadKeptRun(entry.path().string()));
  }
}

}  // namespace

std::vector<KeptRun> ReadKeptRuns(const std::string& runs_folder) {
  std::vector<KeptRun> runs;
  AddKeptRuns(runs_folder, runs);
  // The folder that `tasklens run` of older versions used.
  if (const fs::path folder(runs_folder); folder.parent_path().filename() == ".tasklens")
    AddKeptRuns((folder.parent_path().parent_path() / "tasklens-runs").string(), runs);
  std::sort(runs.begin(), runs.end(), [](const KeptRun& a, const KeptRun& b) {
    return std::tie(a.started_ns, a.id) > std::tie(b.started_ns, b.id);
  });
  return runs;
}

Status WriteKeptRun(const KeptRun& run) {
  json sites = json::array();
  for (const SiteTotals& site : run.sites)
    sites.push_back({{"file", site.path},
                     {"line", site.line},
                     {"function", site.function},
                     {"tasks", site.tasks},
                     {"ran", site.ran},
                     {"totalNs", site.total_ns}});
  const json record = {{"version", 1},
                       {"name", run.name},
                       {"program", run.program},
                       {"message", run.message},
                       {"configuration", LaunchJson(run.configuration)},
                       {"startedNs", run.started_ns},
                       {"endedNs", run.ended_ns},
                       {"builtNs", run.built_ns},
                       {"exitStatus", run.exit_status},
                       {"signal", run.signal},
                       {"sites", std::move(sites)}};
  // Replaced atomically: a concurrent reader sees the old record.
  const std::string path = run.directory + "/" + kRecord, part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << record.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
  file.close();
  std::error_code error;
  if (file) fs::rename(part, path, error);
  if (file && !error) {
    if (run.ended_ns >= 0) fs::remove(GuardReport(run.directory), error);
    return Status::Ok();
  }
  return Status(ErrorCode::kIo, path + ": cannot be written");
}

Status DeleteKeptRun(const KeptRun& run) {
  std::error_code error;
  fs::remove_all(run.directory, error);
  if (error) return Status(ErrorCode::kIo, run.directory + ": " + error.message());
  return Status::Ok();
}

std::string GuardReport(const std::string& directory) { return directory + "/guard"; }

void RemoveRecord(const KeptRun& run) {
  std::error_code ignored;  // the file may never have been written
  fs::remove(fs::path(run.directory) / kRecord, ignored);
  fs::remove(GuardReport(run.directory), ignored);
}

std::vector<KeptRun> RunsTooMany(const std::vector<KeptRun>& runs, uint32_t keep) {
  std::vector<KeptRun> too_many;
  uint32_t seen = 0;
  for (const KeptRun& run : runs)
    if (keep > 0 && run.name.empty() && ++seen > keep) too_many.push_back(run);
  return too_many;
}

}  // namespace tasklens
