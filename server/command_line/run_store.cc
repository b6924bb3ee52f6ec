// SPDX-License-Identifier: Apache-2.0
// Searches folders for runs.
#include "server/command_line/run_store.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "converters/trace_files.h"
#include "trace/support/printable.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// The folders of runs in a workspace folder; the second was used by older versions.
constexpr const char* kStores[] = {".tasklens/runs", "tasklens-runs"};

using Dated = std::pair<fs::file_time_type, std::string>;

// Adds the runs in `folder` with the time when they ended: that of the last write to their first
// trace file.
void AddRuns(const fs::path& folder, std::vector<Dated>& runs) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    if (!entry.is_directory(ignored) || entry.path().filename().string().starts_with('.')) continue;
    const std::string path = entry.path().string();
    const Result<std::vector<std::string>> files = TraceFiles({&path, 1});
    if (!files.ok() || files->empty()) continue;
    const fs::file_time_type written = fs::last_write_time(files->front(), ignored);
    if (!ignored) runs.emplace_back(written, path);
  }
}

std::vector<std::string> NewestFirst(std::vector<Dated> runs) {
  std::sort(runs.rbegin(), runs.rend());
  std::vector<std::string> paths;
  for (Dated& run : runs) paths.push_back(std::move(run.second));
  return paths;
}

bool HasTrace(const std::string& folder) {
  const Result<std::vector<std::string>> files = TraceFiles({&folder, 1});
  return files.ok() && !files->empty();
}

// Returns the path as a user would type it: relative, if it is in the current folder.
std::string Short(const std::string& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, error);
  return error || relative.native().starts_with("..") ? path : relative.string();
}

void SayNewest(const std::string& run) {
  std::fprintf(stderr, "tasklens: newest run: %s\n", Printable(run).c_str());
}

}  // namespace

std::string WorkspaceFolder() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  for (fs::path folder = here; !error && folder.has_relative_path(); folder = folder.parent_path())
    for (const char* store : kStores) {
      std::error_code ignored;
      if (fs::is_directory(folder / store, ignored)) return folder.string();
    }
  return here.string();
}

std::vector<std::string> NewestRuns(const std::string& folder) {
  std::vector<Dated> runs;
  if (!folder.empty()) {
    AddRuns(folder, runs);
  } else {
    const std::string workspace = WorkspaceFolder();
    for (const char* store : kStores) AddRuns(fs::path(workspace) / store, runs);
  }
  return NewestFirst(std::move(runs));
}

Result<std::vector<std::string>> TracesOrNewest(const std::vector<std::string>& named) {
  std::error_code error;
  const bool is_none = named.empty();
  const bool is_folder = named.size() == 1 && fs::is_directory(named[0], error);
  if (!is_none && (!is_folder || HasTrace(named[0]))) return named;
  const std::vector<std::string> runs = NewestRuns(is_none ? "" : named[0]);
  if (runs.empty() && is_folder) return named;  // reading it reports the error
  if (runs.empty())
    return Status(ErrorCode::kInvalidArgument,
                  "name a trace: there is no run in .tasklens/runs, here or in a folder above; "
                  "`tasklens run -- ./program` records one");
  SayNewest(Short(runs.front()));
  return std::vector{Short(runs.front())};
}

}  // namespace tasklens
