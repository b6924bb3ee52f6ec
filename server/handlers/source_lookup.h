// SPDX-License-Identifier: Apache-2.0
// Finds the submissions at a place in a source.
//
// Threads: pure functions of a session.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "server/handlers/present_lines.h"
#include "server/session/session.h"
#include "server/sources/code_index.h"

namespace tasklens {

// The file behind a document's URI.
std::string PathOfDocument(const Session& session, const std::string& uri);

// The newest trace with submission sites in the file `path`, or nullptr.
std::shared_ptr<const OpenTrace> TraceOfFile(const Session& session, const std::string& path);

struct SitesAtLine {
  std::shared_ptr<const OpenTrace> trace;  // nullptr: no open trace knows the line
  std::vector<uint32_t> sites;
  std::string_view remark;  // see PresentLines
};
// Returns the sites on line `line` (from 0, in the present file) in the newest trace that has sites
// there, or in the trace `only` if that is given.
SitesAtLine FindSitesAt(const Session& session, const std::string& path, uint32_t line,
                        const std::shared_ptr<const OpenTrace>& only = nullptr);

// The index of all sources; nullptr when stopped. `fresh`: see CodeIndex::Look().
std::shared_ptr<const CodeView> LookAtCode(const Session& session, bool fresh, Stop stop);

// The word at `position` in the file `path`; "" if there is none.
std::string WordOf(const Session& session, const std::string& path, Position position);

// Returns the names that traces use for tasks of a codelet: its name, the name of its perfmodel,
// and the names of tasks from lines that submit its variable. If the variable is an array whose
// elements have names, only the first two are used, because such a line submits any element.
std::set<std::string> TaskNamesOf(const Session& session, const CodeView& code,
                                  const CodeView::CodeletPlace& codelet);

// Appends the codelets that `to` does not contain.
void AddNew(const std::vector<CodeView::CodeletPlace>& codelets,
            std::vector<CodeView::CodeletPlace>& to);

// The meaning of a word in a source: a codelet (by its variable, its name or a kernel), or a macro
// or function that submits tasks.
struct CodeAtWord {
  std::vector<CodeView::CodeletPlace> codelets;  // for a submitter: those it submits
  std::vector<CodeView::FunctionPlace> submitters;
};
CodeAtWord FindCodeAt(const CodeView& code, const std::string& path, const std::string& word);

}  // namespace tasklens
