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
const char kFolder[] = "tests/data/starpu";  // in the runfiles, where tests start

}  // namespace

std::vector<std::string> StarpuTraces() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (fs::exists(entry.path() / "prof_file_0")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> StarpuTraceFiles(const std::string& trace) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(kFolder) / trace))
    if (entry.path().filename().string().starts_with("prof_file_")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string StarpuReference(const std::string& trace, const std::string& file) {
  return fs::path(kFolder) / trace / "reference" / file;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return std::move(bytes).str();
}

}  // namespace tasklens::testing
