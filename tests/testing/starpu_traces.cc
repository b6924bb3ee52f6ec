// SPDX-License-Identifier: Apache-2.0
// The real traces of tests/data/starpu: see starpu_traces.h.
#include "tests/testing/starpu_traces.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tasklens::testing {
namespace {

namespace fs = std::filesystem;
// In the runfiles, where tests start.
const fs::path kFolder = "tests/data/starpu", kMasterFolder = "tests/data/starpu_master";

std::vector<std::string> TracesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "prof_file_0")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path FolderOf(const std::string& trace) {
  return (fs::exists(kFolder / trace) ? kFolder : kMasterFolder) / trace;
}

}  // namespace

std::vector<std::string> StarpuTraces() { return TracesIn(kFolder); }
std::vector<std::string> StarpuMasterTraces() { return TracesIn(kMasterFolder); }

std::vector<std::string> StarpuTraceFiles(const std::string& trace) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(FolderOf(trace)))
    if (entry.path().filename().string().starts_with("prof_file_")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string StarpuReference(const std::string& trace, const std::string& file) {
  return FolderOf(trace) / "reference" / file;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return std::move(bytes).str();
}

}  // namespace tasklens::testing
