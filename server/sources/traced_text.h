// SPDX-License-Identifier: Apache-2.0
// The texts that a traced program was made from. A trace names lines of these, not of what the
// files have become since.
//
// The text of a file is, the first of these that there is:
//   kSaved    what was kept beside the trace when the run ended (sources.json);
//   kDisk     the file itself, when it has not changed since before the run;
//   kHistory  the last version in the project's git history from before the program was linked, or
//             from before the run where that is not known.
// A file of which none is known is not in the table.
//
// A file that is younger than its program was edited after the program was made, or was only copied
// or checked out then: times do not tell which. Where the program carries the sums of its sources
// (compiled_sources.h), these alone count. Otherwise it counts as unedited, so that its lines are
// certain, when
//   - it is what the project's history had when the program was linked, or
//   - a build came right before the run, and it is older than that build: a build that did not make
//     the program anew found nothing to do.
// Otherwise the text is the history's where that has one, else the file's, and is not certain. So
// is every text of the history that differs from the file: the program may have been made from what
// was never committed. Where the program is not known, or was linked after the run, a file that has
// not changed since before the run is believed.
//
// sources.json: {"version": 1, "files": {"/absolute/path.c": "its text", ...}, "uncertain":
// ["/absolute/path.c", ...]}, UTF-8. A folder that was moved since has its sources under other
// paths: a text belongs to the path that ends like its own, where each fits the other best.
//
// Threads: pure functions; they read files and run git, so they are slow.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

enum class TextOrigin { kSaved, kDisk, kHistory };

struct TracedText {
  std::shared_ptr<const std::string> text;
  TextOrigin origin;
  bool is_certain = true;
};
using TracedTexts = std::map<std::string, TracedText>;  // by absolute path

struct TracedRunFacts {
  std::string folder;       // of the trace
  int64_t started_ns = -1;  // Unix time; -1 unknown
  int64_t built_ns = -1;    // when the build right before it began; -1: there was none
  std::string program;      // path, "" unknown
  bool may_run_git = true;  // in the folders of the sources
};

TracedTexts FindTracedTexts(const std::vector<std::string>& paths, const TracedRunFacts& run);

// The texts of the sources.json in `folder`; none where there is no such file.
TracedTexts ReadSavedTexts(const std::string& folder);

// Which of the paths `old` is which of the paths `now` after their folder was moved: by the same
// path, else by the most components at the end, where each fits the other best.
std::map<std::string, std::string> PairMovedPaths(const std::vector<std::string>& old,
                                                  const std::vector<std::string>& now);

// The commit in which the file `path` came to have this text; "" where its history has it nowhere.
// Runs git.
std::string CommitOf(const std::string& path, const std::string& text);

// Keeps the texts whose origin is kDisk beside the trace. Does nothing when there are none.
Status SaveTracedTexts(const TracedTexts& texts, const std::string& folder);

}  // namespace tasklens
