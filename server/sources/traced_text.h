// SPDX-License-Identifier: Apache-2.0
// The texts from which a traced program was built. The lines of a trace refer to these texts, not
// to the present files.
//
// The text of a file is the first of these that is available:
//   kSaved    what was kept beside the trace when the run ended (sources.json);
//   kDisk     the file itself, when it has not changed since before the run;
//   kHistory  the last version in the project's git history from before the program was linked, or
//             from before the run where that is not known.
// A file with none of these is not in the table.
//
// A file that is newer than its program was edited after the build, or only copied or checked out
// then; the times do not tell which. If the program contains the checksums of its sources
// (compiled_sources.h), only they decide. Otherwise the file counts as unedited, and its lines as
// certain, if
// certain, when
//   - it is what the project's history had when the program was linked, or
//   - a build ran just before the traced run and the file is older than that build: even if the
//     build did not relink the program, it found nothing to do.
// Otherwise the text is that of the history if it has one, else that of the file, and is not
// certain. A text of the history that differs from the file is not certain either: the program may
// have been built from uncommitted changes. If the program is unknown, or was linked after the run,
// a file that has not changed since before the run counts as certain.
//
// sources.json: {"version": 1, "files": {"/absolute/path.c": "its text", ...}, "uncertain":
// ["/absolute/path.c", ...]}, UTF-8. If the folder was moved since, its sources have other paths: a
// text then belongs to the path with the same ending, if each is the best match of the other.
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
  int64_t built_ns = -1;    // start of the build just before the run; -1: none
  std::string program;      // path, "" unknown
  bool may_run_git = true;  // in the folders of the sources
};

TracedTexts FindTracedTexts(const std::vector<std::string>& paths, const TracedRunFacts& run);

// Reads the texts of the sources.json in `folder`; none if there is no such file.
TracedTexts ReadSavedTexts(const std::string& folder);

// Matches the paths `old` to the paths `now` after their folder was moved: equal paths first, else
// the most common components at the end, if each is the best match of the other.
std::map<std::string, std::string> PairMovedPaths(const std::vector<std::string>& old,
                                                  const std::vector<std::string>& now);

// Returns the commit that gave the file `path` this text; "" if its history never had the text.
// Runs git.
std::string CommitOf(const std::string& path, const std::string& text);

// Saves the texts with origin kDisk beside the trace. Does nothing if there are none.
Status SaveTracedTexts(const TracedTexts& texts, const std::string& folder);

}  // namespace tasklens
