// SPDX-License-Identifier: Apache-2.0
// Advice at its lines: the diagnostics of a file.
//
// A finding is left out where its line was rewritten since the run (it may be mended already) or
// cannot be told, says so where its line is not certain, and is left out where its rule is
// silenced: in the project by the setting silencedRules or by its file (see silenced_rules.h), in a
// file by a comment with "tasklens: ignore-file RULE", at a line by "tasklens: ignore RULE" on it
// or on the line above.
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

// The rules that are silenced in the project, and the findings whose rules are not.
RuleSet SilencedInProject(const Session& session);
std::vector<Finding> Unsilenced(const Session& session, const std::vector<Finding>& findings);

// The comment that silences `rule` at line `line` (from 0) of a document, or in all of it for
// kNone, and the WorkspaceEdit of the protocol that writes it.
std::string SilencingComment(const std::string& rule, uint32_t line);
json SilencingEdit(const Session& session, const std::string& uri, const std::string& rule,
                   uint32_t line);

// A Diagnostic of the protocol; its numbers as data, and related lines where the client shows them.
json DiagnosticJson(const AdviceLine& advice, bool with_related);

}  // namespace tasklens
