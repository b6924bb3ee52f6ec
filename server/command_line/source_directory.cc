// SPDX-License-Identifier: Apache-2.0
// Counts the source files below each candidate folder.
#include "server/command_line/source_directory.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "converters/writers/task_graph.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

bool SaysItsDirectory(const TraceModel& model) {
  return std::any_of(model.info.begin(), model.info.end(),
                     [&](const auto& info) { return model.str(info.first) == "directory"; });
}

std::set<std::string_view> RelativeFiles(const TraceModel& model) {
  std::set<std::string_view> files;
  for (const StringId file : model.sites.file) {
    const std::string_view name = model.str(file);
    if (!name.empty() && name.front() != '/') files.insert(name);
  }
  return files;
}

std::vector<fs::path> Candidates(std::span<const std::string> traces,
                                 std::span<const std::string> roots) {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path current = fs::current_path(error);
  for (const std::string& root : roots) folders.push_back(current / root);
  for (const std::string& trace : traces) {
    const fs::path path = current / trace;
    const fs::path folder = fs::is_directory(path, error) ? path : path.parent_path();
    if (folders.empty() || folders.back() != folder) folders.push_back(folder);
  }
  folders.push_back(current);
  return folders;
}

}  // namespace

std::string FindSourceDirectory(const TraceModel& model, std::span<const std::string> traces,
                                std::span<const std::string> roots) {
  if (roots.empty() && SaysItsDirectory(model)) return "";
  const std::set<std::string_view> files = RelativeFiles(model);
  const std::vector<fs::path> folders = Candidates(traces, roots);
  std::string best = roots.empty() ? "" : folders.front().lexically_normal().string();
  std::ptrdiff_t most = 0;
  for (const fs::path& folder : folders) {
    const std::ptrdiff_t count = std::count_if(files.begin(), files.end(), [&](auto file) {
      std::error_code error;
      return fs::is_regular_file(SourcePath(file, folder.string()), error);
    });
    if (count <= most) continue;
    most = count;
    best = folder.lexically_normal().string();
  }
  return best;
}

}  // namespace tasklens
