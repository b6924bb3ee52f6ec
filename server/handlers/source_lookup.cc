// SPDX-License-Identifier: Apache-2.0
// Reads the session's texts and sites.
#include "server/handlers/source_lookup.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "server/handlers/handlers.h"

namespace tasklens {
namespace {

bool Contains(const std::vector<CodeView::CodeletPlace>& codelets,
              const CodeView::CodeletPlace& codelet) {
  return std::find(codelets.begin(), codelets.end(), codelet) != codelets.end();
}

}  // namespace

void AddNew(const std::vector<CodeView::CodeletPlace>& codelets,
            std::vector<CodeView::CodeletPlace>& to) {
  for (const CodeView::CodeletPlace& codelet : codelets)
    if (!Contains(to, codelet)) to.push_back(codelet);
}

std::string PathOfDocument(const Session& session, const std::string& uri) {
  const std::string key = DocumentKey(uri);
  const auto document = session.FindDocument(key);
  if (document) return document->path;
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(key, error);
  return error ? key : path.string();
}

std::shared_ptr<const OpenTrace> TraceOfFile(const Session& session, const std::string& path) {
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it)
    if (!(*it)->sources->SitesIn(path).empty()) return *it;
  return nullptr;
}

SitesAtLine FindSitesAt(const Session& session, const std::string& path, uint32_t line,
                        const std::shared_ptr<const OpenTrace>& only) {
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it) {
    const std::shared_ptr<const OpenTrace>& trace = *it;
    if (only && trace != only) continue;
    const std::vector<uint32_t>& in_file = trace->sources->SitesIn(path);
    if (in_file.empty()) continue;
    const PresentLines present(session, *trace, path);
    const auto traced = present.TracedAt(line);
    if (!traced) continue;
    SitesAtLine found{trace, {}, PresentLines::Remark(present.Of(*traced).state)};
    for (const uint32_t site : in_file)
      if (trace->model->sites.line[site] == uint64_t{*traced} + 1) found.sites.push_back(site);
    if (!found.sites.empty()) return found;
  }
  return {};
}

std::shared_ptr<const CodeView> LookAtCode(const Session& session, bool fresh, Stop stop) {
  if (!session.code) return std::make_shared<const CodeView>(std::vector<CodeView::File>{});
  return session.code->Look(session.Sources(), fresh, stop);
}

std::string WordOf(const Session& session, const std::string& path, Position position) {
  const auto text = TextOf(session, path);
  if (!text.ok()) return "";
  const std::string_view line = (*text)->Line(position.line);
  return std::string(WordAt(line, ByteOfColumn(line, position.column, session.encoding)));
}

std::set<std::string> TaskNamesOf(const Session& session, const CodeView& code,
                                  const CodeView::CodeletPlace& place) {
  const SourceCodelet& codelet = *place.codelet;
  std::set<std::string> names = {codelet.name, codelet.symbol};
  names.erase("");
  const std::string& variable = codelet.variable.text;
  const auto same = code.CodeletsOfVariable(place.file->path, variable);
  const auto defined = std::count_if(same.begin(), same.end(),
                                     [](const auto& other) { return other.codelet->is_defined; });
  if (defined > 1 && !names.empty()) return names;
  std::map<std::string, std::vector<const SourceCall*>> calls;  // by path
  for (const CodeView::CallPlace& call : code.SubmissionsOf(place))
    calls[call.file->path].push_back(call.call);
  for (const auto& [path, in_file] : calls) {
    const auto trace = TraceOfFile(session, path);
    if (!trace) continue;
    const PresentLines present(session, *trace, path);
    for (const uint32_t site : trace->sources->SitesIn(path)) {
      const uint32_t line = trace->model->sites.line[site], row = trace->cost_of[site];
      if (line == 0 || row == kNone) continue;
      const uint32_t now = present.Of(line - 1).line;
      const bool is_there =
          std::any_of(in_file.begin(), in_file.end(), [&](const SourceCall* call) {
            return call->name.text != "cl" && call->name.line <= now && now <= call->last_line;
          });
      // If tasks are filled before their submission, the submitting line differs from the call.
      if (!is_there && !Contains(code.CodeletsSubmittedAt(path, now), place)) continue;
      for (const StringId name : trace->costs[row].names) names.emplace(trace->model->str(name));
    }
  }
  names.erase("");
  return names;
}

CodeAtWord FindCodeAt(const CodeView& code, const std::string& path, const std::string& word) {
  CodeAtWord found;
  if (word.empty()) return found;
  found.codelets = code.CodeletsOfWord(path, word);
  if (!found.codelets.empty()) return found;
  found.submitters = code.FindSubmitters(path, word);
  for (const CodeView::FunctionPlace& place : found.submitters)
    AddNew(code.CodeletsOf(place, /*given=*/false), found.codelets);
  return found;
}

}  // namespace tasklens
