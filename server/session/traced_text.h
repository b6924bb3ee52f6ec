// SPDX-License-Identifier: Apache-2.0
// The texts that a traced program was made from. A trace names lines of these, not of what the
// files have become since.
//
// The text of a file is, the first of these that there is:
//   kSaved    what was kept beside the trace when the run ended (sources.json);
//   kDisk     the file itself, when it has not changed since before the run, nor since the program
//             was linked;
//   kHistory  the last version in the project's git history from before the run. It is a guess: the
//             program may have been made from text that was never committed.
// A file of which none is known is not in the table.
//
// sources.json: {"version": 1, "files": {"/absolute/path.c": "its text", ...}}, UTF-8.
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
};
using TracedTexts = std::map<std::string, TracedText>;  // by absolute path

struct TracedRunFacts {
  std::string folder;       // of the trace
  int64_t started_ns = -1;  // Unix time; -1 unknown
  std::string program;      // path, "" unknown
  bool may_run_git = true;  // in the folders of the sources
};

TracedTexts FindTracedTexts(const std::vector<std::string>& paths, const TracedRunFacts& run);

// The texts of the sources.json in `folder`; none where there is no such file.
TracedTexts ReadSavedTexts(const std::string& folder);

// Keeps the texts whose origin is kDisk beside the trace. Does nothing when there are none.
Status SaveTracedTexts(const TracedTexts& texts, const std::string& folder);

}  // namespace tasklens
