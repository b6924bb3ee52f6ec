// SPDX-License-Identifier: Apache-2.0
// StarPU's tracing variables, and the trace files.
#include "server/runs/traced_run.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = "trace";

// Returns the numbers in "trace_12", "trace_12.tlt" or "trace_12.2.4711.tlt", the rank first; none
// for other names.
std::vector<long> NumbersIn(std::string_view name) {
  if (!name.starts_with(kSuffix)) return {};
  name.remove_prefix(kSuffix.size());
  if (!name.starts_with('_')) return {};
  const bool is_ours = name.ends_with(".tlt");
  if (is_ours) name.remove_suffix(4);
  std::vector<long> numbers;
  while (!name.empty()) {
    if (name.front() != (numbers.empty() ? '_' : '.') || (!numbers.empty() && !is_ours)) return {};
    name.remove_prefix(1);
    long number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || number < 0) return {};
    numbers.push_back(number);
    name.remove_prefix(static_cast<size_t>(end - name.data()));
  }
  return numbers;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> TracedEnvironment(const std::string& directory,
                                                                   bool all) {
  std::vector<std::pair<std::string, std::string>> variables = {
      {"STARPU_FXT_TRACE", "1"},
      {"STARPU_FXT_PREFIX", directory},
      {"STARPU_FXT_SUFFIX", std::string(kSuffix)},
      {"TASKLENS_KEEP_TRACES", "1"},
  };
  if (all) variables.emplace_back("TASKLENS_RECORD_ALL", "1");
  return variables;
}

Result<std::vector<std::string>> FindTraces(const std::string& directory) {
  std::vector<std::pair<std::vector<long>, std::string>> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    std::vector<long> numbers = NumbersIn(entry.path().filename().string());
    if (!numbers.empty()) found.emplace_back(std::move(numbers), entry.path().string());
  }
  if (error) return Status(ErrorCode::kIo, directory + ": " + error.message());
  if (found.empty())
    return Status(ErrorCode::kNotFound,
                  "the program left no trace in " + directory +
                      "; is it linked with TaskLens' runtime, or with a StarPU that has FxT, and "
                      "did it call starpu_init?");
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [numbers, path] : found) paths.push_back(std::move(path));
  return paths;
}

Result<std::string> NewRunDirectory(const std::string& parent, const std::string& program) {
  std::error_code error;
  const fs::path base = fs::absolute(parent, error);
  if (!error) fs::create_directories(base, error);
  if (error) return Status(ErrorCode::kIo, parent + ": " + error.message());

  char date[32];
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
  const std::string name = fs::path(program).filename().string() + "-" + date;
  for (int attempt = 1;; ++attempt) {
    const fs::path path = base / (attempt == 1 ? name : name + "-" + std::to_string(attempt));
    // create_directory returns false if the folder exists: another run began in the same second.
    if (fs::create_directory(path, error)) return path.string();
    if (error) return Status(ErrorCode::kIo, path.string() + ": " + error.message());
  }
}

Result<std::string> EmptyRunDirectory(const std::string& directory) {
  std::error_code error;
  const fs::path base = fs::absolute(directory, error);
  if (!error) fs::create_directories(base, error);
  if (error) return Status(ErrorCode::kIo, directory + ": " + error.message());
  const auto old = FindTraces(base.string());
  if (!old.ok() && old.status().code() != ErrorCode::kNotFound) return old.status();
  for (const std::string& trace : old.ok() ? *old : std::vector<std::string>{}) {
    fs::remove(trace, error);
    if (error) return Status(ErrorCode::kIo, trace + ": " + error.message());
  }
  // The source texts of that run; see traced_text.h.
  fs::remove(base / "sources.json", error);
  return base.string();
}

void RemoveIfEmpty(const std::string& directory) {
  std::error_code ignored;  // fails for a folder that is not empty, as intended
  fs::remove(directory, ignored);
}

}  // namespace tasklens
