// SPDX-License-Identifier: Apache-2.0
// From the file names that a compiler wrote into a program to files that exist here.
//
// A trace is input of a stranger, so a name in it opens only what lies inside a root (a folder of
// the workspace, or one the user named), after links are resolved. Tried in this order:
//   1. the name itself, when it is absolute;
//   2. the name below the folder in which the program ran;
//   3. the name below each root;
//   4. the file below a root whose path agrees with the name in the most components at its end.
// When 4 finds several that agree equally well, none is taken: a wrong line is worse than none.
// Nor is one that differs from the very file that the trace names and that lies outside.
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
  // Whether the existing file `path`, its links resolved, lies in a root.
  bool Contains(const std::string& path) const;
  // Adds a folder; one that does not exist is left out.
  void Add(const std::string& folder);
  bool operator==(const SourceRoots&) const = default;
};

class SourceMap {
 public:
  static SourceMap Make(const TraceModel& model, const std::string& directory,
                        const SourceRoots& roots);

  // The existing file behind a site's file name. kNotFound says what was tried and what to do.
  Result<std::string> PathOf(const TraceModel& model, uint32_t site) const;
  // The sites in the file `path`, by line. Also answers for files outside of the roots: whoever
  // asks has that file already.
  const std::vector<uint32_t>& SitesIn(const std::string& path) const;
  // Every file that SitesIn() knows, sorted.
  std::vector<std::string> Paths() const;

 private:
  struct Entry {
    std::string path;     // "" when not found
    std::string problem;  // then: why
  };
  std::unordered_map<StringId, Entry> entries_;  // by file name
  std::unordered_map<std::string, std::vector<uint32_t>> sites_;
};

// When `path` was last written, in Unix time; -1 when it does not exist.
int64_t ModifiedNs(const std::string& path);

}  // namespace tasklens
