// SPDX-License-Identifier: Apache-2.0
// From a place in a source to what was submitted there.
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
// The sites on line `line` (from 0, as the file is now) in the newest trace that has any there; in
// `only` alone where it is given.
SitesAtLine FindSitesAt(const Session& session, const std::string& path, uint32_t line,
                        const std::shared_ptr<const OpenTrace>& only = nullptr);

// What the sources say together; nullptr when stopped. `fresh`: see CodeIndex::Look().
std::shared_ptr<const CodeView> LookAtCode(const Session& session, bool fresh, Stop stop);

// The word of the file `path` at `position`, "" none.
std::string WordOf(const Session& session, const std::string& path, Position position);

// The names that traces give to tasks of a codelet: its own, its perfmodel's, and those of the
// tasks of lines that submit its variable, unless that is an array whose elements have names.
std::set<std::string> TaskNamesOf(const Session& session, const CodeView& code,
                                  const CodeView::CodeletPlace& codelet);

// Adds those that `to` has not.
void AddNew(const std::vector<CodeView::CodeletPlace>& codelets,
            std::vector<CodeView::CodeletPlace>& to);

// What a word of a source stands for: a codelet (by its variable, its name or a kernel), or a macro
// or function that submits.
struct CodeAtWord {
  std::vector<CodeView::CodeletPlace> codelets;  // of submitters: their own
  std::vector<CodeView::FunctionPlace> submitters;
};
CodeAtWord FindCodeAt(const CodeView& code, const std::string& path, const std::string& word);

}  // namespace tasklens
