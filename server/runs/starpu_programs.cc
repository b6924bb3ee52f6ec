// SPDX-License-Identifier: Apache-2.0
#include "server/runs/starpu_programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>

#include "server/sources/elf_file.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// Only regular files: opening pipes and devices may block.
bool IsExecutableFile(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_regular_file(error) && access(entry.path().c_str(), X_OK) == 0;
}

int64_t ModifiedNs(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return 0;
  return static_cast<int64_t>(about.st_mtim.tv_sec) * 1'000'000'000 + about.st_mtim.tv_nsec;
}

}  // namespace

bool LoadsStarpu(const std::string& path) {
  const std::optional<ElfFile> program = ElfFile::Open(path);
  // Libraries have no loader.
  return program && program->FindSegment(PT_INTERP) && program->NeedsLibrary("starpu");
}

StarpuPrograms FindStarpuPrograms(const std::string& folder, size_t most_entries, Stop stop) {
  StarpuPrograms programs{{}, true};
  std::deque<fs::path> folders = {folder};
  size_t entries = 0;
  for (; !folders.empty() && programs.is_all; folders.pop_front()) {
    std::error_code error;
    for (fs::directory_iterator at(folders.front(), error), end; !error && at != end;
         at.increment(error)) {
      if (++entries > most_entries || Stopped(stop)) {
        programs.is_all = false;
        break;
      }
      const fs::directory_entry& entry = *at;
      if (entry.path().filename().native().starts_with('.')) continue;
      std::error_code ignored;
      if (entry.is_directory(ignored)) {
        if (!entry.is_symlink(ignored)) folders.push_back(entry.path());
      } else if (IsExecutableFile(entry) && LoadsStarpu(entry.path())) {
        programs.found.push_back(
            {entry.path().lexically_relative(folder), ModifiedNs(entry.path())});
      }
    }
  }
  std::sort(programs.found.begin(), programs.found.end(), [](const auto& a, const auto& b) {
    return a.modified_ns != b.modified_ns ? a.modified_ns > b.modified_ns : a.path < b.path;
  });
  return programs;
}

}  // namespace tasklens
