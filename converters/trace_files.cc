// SPDX-License-Identifier: Apache-2.0
// Searches folders for traces.
#include "converters/trace_files.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "converters/formats.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tlt";
constexpr int64_t kMaxRank = 1 << 30;
constexpr size_t kNamedRuns = 3;  // in an error message

// "DIR/trace_12.tlt" is rank 12 of run "trace_*.tlt"; "DIR/x.tlt" is run "x.tlt", without rank.
// "trace_12.2.tlt" and "trace_12.2.4711.tlt" are further traces of a rank that started the runtime
// again, or whose program started another.
struct FileName {
  std::string run;
  std::vector<int64_t> numbers;  // the rank, then the numbers after it; empty: none
};

FileName Parse(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string_view ending = name.ends_with(kEnding) ? kEnding : "";
  const std::string_view stem = name.substr(0, name.size() - ending.size());
  const size_t bar = stem.rfind('_');
  if (bar == std::string_view::npos || bar == 0) return {std::string(name), {}};
  std::vector<int64_t> numbers;
  for (const char* at = stem.data() + bar + 1;; ++at) {
    int64_t number = -1;
    const auto [end, error] = std::from_chars(at, stem.data() + stem.size(), number);
    if (error != std::errc() || number < 0 || number > kMaxRank) return {std::string(name), {}};
    numbers.push_back(number);
    if (end == stem.data() + stem.size()) break;
    if (*end != '.' || ending.empty()) return {std::string(name), {}};
    at = end;
  }
  return {std::string(stem.substr(0, bar + 1)) + "*" + std::string(ending), std::move(numbers)};
}

bool IsTrace(std::ifstream& file) {
  std::array<char, 4096> head;
  file.read(head.data(), head.size());
  return GuessReader(std::as_bytes(std::span(head.data(), static_cast<size_t>(file.gcount()))));
}

using Runs = std::map<std::string, std::vector<std::pair<std::vector<int64_t>, std::string>>>;

// Returns the traces of `folder` by run. Files named like a rank's trace or *.tlt come first; other
// names are tried only if there are none. A file of unknown format whose name fits another rank of
// a run belongs to the run: without that rank all results would be wrong.
Result<Runs> RunsIn(const std::string& folder) {
  Runs runs, others, no_traces;
  std::string unreadable;  // why a file cannot be read
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    if (!entry.is_regular_file(ignored)) continue;
    const std::string path = entry.path().string();
    std::ifstream file(path, std::ios::binary);
    if (!file && unreadable.empty()) unreadable = path + ": " + std::strerror(errno);
    FileName name = Parse(path);
    const bool is_named = !name.numbers.empty() || path.ends_with(kEnding);
    Runs& group = !file || !IsTrace(file) ? no_traces : is_named ? runs : others;
    group[name.run].emplace_back(std::move(name.numbers), path);
  }
  if (error) return Status(ErrorCode::kIo, folder + ": " + error.message());
  if (runs.empty()) runs = std::move(others);
  if (runs.empty() && !unreadable.empty()) return Status(ErrorCode::kIo, unreadable);
  for (auto& [run, files] : runs)
    for (const auto& other : no_traces[run])
      if (!other.first.empty()) files.push_back(other);
  for (auto& [run, files] : runs) std::sort(files.begin(), files.end());
  return runs;
}

Status AddFolder(const std::string& folder, std::vector<std::string>& files) {
  auto runs = RunsIn(folder);
  if (!runs.ok()) return runs.status();
  if (runs->empty())
    return {ErrorCode::kNotFound,
            folder + ": no trace in this folder; record one with `tasklens run -o DIR -- PROGRAM`"};
  if (runs->size() > 1) {
    std::string names;
    size_t named = 0;
    for (const auto& [run, unused] : *runs) {
      if (named++ == kNamedRuns) {
        names += ", ...";
        break;
      }
      names += (names.empty() ? "" : ", ") + run;
    }
    return {ErrorCode::kInvalidArgument, folder + ": holds traces of " +
                                             std::to_string(runs->size()) + " runs (" + names +
                                             "); name the files of one of them"};
  }
  for (auto& [numbers, path] : runs->begin()->second) files.push_back(std::move(path));
  return Status::Ok();
}

bool IsPattern(std::string_view path) { return path.find_first_of("*?[") != path.npos; }

// For callers without a shell (an editor's configuration), and for quoted patterns.
Status AddMatches(const std::string& pattern, std::vector<std::string>& files) {
  glob_t matches{};
  const int error = glob(pattern.c_str(), 0, nullptr, &matches);
  for (size_t i = 0; error == 0 && i < matches.gl_pathc; ++i) files.push_back(matches.gl_pathv[i]);
  globfree(&matches);
  if (error == 0) return Status::Ok();
  return {ErrorCode::kNotFound, pattern + ": no file matches this pattern"};
}

}  // namespace

int64_t RankInName(std::string_view path) {
  const FileName name = Parse(path);
  return name.numbers.size() == 1 ? name.numbers[0] : -1;
}

Result<std::vector<std::string>> TraceFiles(std::span<const std::string> paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (path == "-" || (fs::exists(status) && !fs::is_directory(status))) {
      files.push_back(path);
    } else if (fs::is_directory(status)) {
      if (Status s = AddFolder(path, files); !s.ok()) return s;
    } else if (fs::is_regular_file(path + std::string(kEnding), error)) {
      files.push_back(path + std::string(kEnding));
    } else if (IsPattern(path)) {
      if (Status s = AddMatches(path, files); !s.ok()) return s;
    } else {
      files.push_back(path);  // opening it will report the error
    }
  }
  return files;
}

}  // namespace tasklens
