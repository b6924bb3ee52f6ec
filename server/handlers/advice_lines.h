// SPDX-License-Identifier: Apache-2.0
// Advice at its lines: the diagnostics of a file.
//
// A finding is left out where its line was rewritten since the run (it may be mended already) or
// cannot be told, says so where its line is not certain, and is left out where its rule is
// silenced: in the project by the setting silencedRules, in a file by a comment with "tasklens:
// ignore-file RULE", at a line by "tasklens: ignore RULE" on it or on the line above.
//
// Threads: pure functions of a session.
#pragma once

#include <string>
#include <vector>

#include "server/handlers/handlers.h"
#include "server/session/session.h"

namespace tasklens {

struct AdviceLine {
  const Finding* finding;   // of the trace's insights
  Range range;              // the line, as the file is now
  std::string_view remark;  // see PresentLines
  // The lines whose tasks it waits for, and that wait for its own, the most first.
  struct Related {
    Location location;
    std::string message;
  };
  std::vector<Related> related;
};

// Of the newest trace that knows the file and has been analysed. The order is that of the lines.
struct FileAdvice {
  std::shared_ptr<const OpenTrace> trace;  // nullptr: none
  std::vector<AdviceLine> lines;
};
FileAdvice AdviceInFile(const Session& session, const std::string& path);

// A Diagnostic of the protocol; its numbers as data, and related lines where the client shows them.
json DiagnosticJson(const AdviceLine& advice, bool with_related);

}  // namespace tasklens
