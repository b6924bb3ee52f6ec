// SPDX-License-Identifier: Apache-2.0
// Maps the file names that a compiler wrote into a program to files that exist here.
//
// A trace is untrusted input, so its names open only files inside a root (a folder of the
// workspace, or one that the user named), after links are resolved. Tried in this order:
//   1. the name itself, when it is absolute;
//   2. the name below the folder in which the program ran;
//   3. the name below each root;
//   4. the file below a root whose path agrees with the name in the most components at its end.
// If rule 4 finds several files that agree equally well, those in the first user-named folder
// count. If these are several, none is taken: a wrong line is worse than none. Nor is a file taken
// that differs from the file of that very name outside the roots.
//
// Threads: const, so any number of readers. Make() reads folders; it is slow on a large workspace.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

// Folders that contain sources: absolute, links resolved.
struct SourceRoots {
  std::vector<std::string> folders;
  size_t named = 0;  // the first `named` folders are those that the user named
  // True if the existing file `path` (links resolved) lies in a root.
  bool Contains(const std::string& path) const;
  // Adds a folder, if it exists.
  void Add(const std::string& folder);
  bool operator==(const SourceRoots&) const = default;
};

class SourceMap {
 public:
  enum class FoundBy : uint8_t { kNothing, kName, kDirectory, kRoot, kEnd };  // as above
  struct File {
    std::string name;     // as the trace has it
    std::string path;     // "" if not found
    std::string problem;  // if not found: the reason
    FoundBy found_by = FoundBy::kNothing;
  };

  static SourceMap Make(const TraceModel& model, const std::string& directory,
                        const SourceRoots& roots);

  // Returns the file of a site. kNotFound says what was tried and what to do.
  Result<std::string> PathOf(const TraceModel& model, uint32_t site) const;
  // Returns the sites in the file `path`, ordered by line. Files outside of the roots are answered
  // too: the caller has that file already.
  const std::vector<uint32_t>& SitesIn(const std::string& path) const;
  // Every file that SitesIn() knows, sorted.
  std::vector<std::string> Paths() const;
  // Every file that the trace names, by name.
  std::vector<File> Files() const;
  // Returns the file of a site; nullptr if the trace has no file for it.
  const File* FileOf(const TraceModel& model, uint32_t site) const;

 private:
  std::unordered_map<StringId, File> entries_;  // by file name
  std::unordered_map<std::string, std::vector<uint32_t>> sites_;
};

// The beginnings in which two paths differ, for a file that was found by rule 4: the source tree
// was moved from `from` to `to`. Both are "" if `file` was found by another rule.
struct MovedRoot {
  std::string from, to;
};
MovedRoot MovedRootOf(const SourceMap::File& file);

// The time of the last write to `path`, in Unix time; -1 if it does not exist.
int64_t ModifiedNs(const std::string& path);

}  // namespace tasklens
