// SPDX-License-Identifier: Apache-2.0
// Advice for the lines of a file, as diagnostics.
//
// A finding is omitted if its line was rewritten since the run (the problem may be fixed), if the
// line is not known, or if its rule is silenced: for the project by the setting silencedRules or
// its file (see silenced_rules.h), for a file by a comment with "tasklens: ignore-file RULE", for a
// line by "tasklens: ignore RULE" on the line or on the line above. If the line is uncertain, the
// finding says so.
//
// Threads: pure functions of a session.
#pragma once

#include <string>
#include <vector>

#include "server/handlers/handlers.h"
#include "server/session/session.h"
#include "server/session/silenced_rules.h"

namespace tasklens {

struct AdviceLine {
  const Finding* finding;   // of the trace's insights
  Range range;              // the line, as the file is now
  std::string_view remark;  // see PresentLines
  // Lines with tasks that the tasks of this line wait for, and lines whose tasks wait for this
  // one's, by the number of waits, the highest first.
  struct Related {
    Location location;
    std::string message;
  };
  std::vector<Related> related;
};

// The advice of the newest trace that knows the file and has been analysed, in the order of the
// lines.
struct FileAdvice {
  std::shared_ptr<const OpenTrace> trace;  // nullptr: none
  std::vector<AdviceLine> lines;
};
FileAdvice AdviceInFile(const Session& session, const std::string& path);

// Returns the rules that are silenced for the project.
RuleSet SilencedInProject(const Session& session);
std::vector<Finding> Unsilenced(const Session& session, const std::vector<Finding>& findings);

// Returns the comment that silences `rule` at line `line` (from 0) of a document, or in the whole
// document for kNone; and the protocol's WorkspaceEdit that inserts the comment.
std::string SilencingComment(const std::string& rule, uint32_t line);
json SilencingEdit(const Session& session, const std::string& uri, const std::string& rule,
                   uint32_t line);

// Makes a Diagnostic of the protocol, with the numbers of the finding as data, and with related
// lines if the client shows them.
json DiagnosticJson(const AdviceLine& advice, bool with_related);

}  // namespace tasklens
