// SPDX-License-Identifier: Apache-2.0
// From the file names that a compiler wrote into a program to files that exist here.
//
// A trace is input of a stranger, so a name in it opens only what lies inside a root (a folder of
// the workspace, or one the user named), after links are resolved. Tried in this order:
//   1. the name itself, when it is absolute;
//   2. the name below the folder in which the program ran;
//   3. the name below each root;
//   4. the file below a root whose path agrees with the name in the most components at its end.
// When 4 finds several that agree equally well, those in the first folder that the user named
// count; of several there, none is taken: a wrong line is worse than none. Nor is one that differs
// from the very file that the trace names and that lies outside.
//
// Threads: const, so any number of readers. Make() reads folders; it is slow on a large workspace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

// Folders that hold sources: absolute, without links.
struct SourceRoots {
  std::vector<std::string> folders;
  size_t named = 0;  // so many of them, the first ones, are those that the user named
  // Whether the existing file `path`, its links resolved, lies in a root.
  bool Contains(const std::string& path) const;
  // Adds a folder; one that does not exist is left out.
  void Add(const std::string& folder);
  bool operator==(const SourceRoots&) const = default;
};

class SourceMap {
 public:
  enum class FoundBy : uint8_t { kNothing, kName, kDirectory, kRoot, kEnd };  // as above
  struct File {
    std::string name;     // as the trace has it
    std::string path;     // "" when not found
    std::string problem;  // then: why
    FoundBy found_by = FoundBy::kNothing;
  };

  static SourceMap Make(const TraceModel& model, const std::string& directory,
                        const SourceRoots& roots);

  // The existing file behind a site's file name. kNotFound says what was tried and what to do.
  Result<std::string> PathOf(const TraceModel& model, uint32_t site) const;
  // The sites in the file `path`, by line. Also answers for files outside of the roots: whoever
  // asks has that file already.
  const std::vector<uint32_t>& SitesIn(const std::string& path) const;
  // Every file that SitesIn() knows, sorted.
  std::vector<std::string> Paths() const;
  // Every file that the trace names, by name.
  std::vector<File> Files() const;
  // That of a site; nullptr when the trace names none.
  const File* FileOf(const TraceModel& model, uint32_t site) const;

 private:
  std::unordered_map<StringId, File> entries_;  // by file name
  std::unordered_map<std::string, std::vector<uint32_t>> sites_;
};

// What a file that was found by its end says about where its tree is now: the beginnings in which
// the two paths differ. "" and "" where `file` was found in another way.
struct MovedRoot {
  std::string from, to;
};
MovedRoot MovedRootOf(const SourceMap::File& file);

// When `path` was last written, in Unix time; -1 when it does not exist.
int64_t ModifiedNs(const std::string& path);

}  // namespace tasklens
