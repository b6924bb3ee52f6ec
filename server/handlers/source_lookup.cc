// SPDX-License-Identifier: Apache-2.0
// Reads the session's texts and sites.
#include "server/handlers/source_lookup.h"

#include <algorithm>

#include "server/handlers/handlers.h"
#include "server/session/codelets.h"

namespace tasklens {
namespace {

bool HasWord(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1))
    if (WordAt(line, at) == word) return true;
  return false;
}

}  // namespace

std::string PathOfDocument(const Session& session, const std::string& uri) {
  const std::string key = DocumentKey(uri);
  const auto document = session.FindDocument(key);
  return document ? document->path : key;
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
    const auto traced = PresentLines(session, *trace, path).TracedAt(line);
    if (!traced) continue;
    SitesAtLine found{trace, {}};
    for (const uint32_t site : in_file)
      if (trace->model->sites.line[site] == uint64_t{*traced} + 1) found.sites.push_back(site);
    if (!found.sites.empty()) return found;
  }
  return {};
}

std::set<std::string> TaskNamesOf(const Session& session, const std::string& path,
                                  const SourceCodelet& codelet) {
  std::set<std::string> names = {codelet.name, codelet.symbol};
  names.erase("");
  const auto trace = TraceOfFile(session, path);
  const auto text = TextOf(session, path);
  if (!trace || !text.ok()) return names;
  const PresentLines present(session, *trace, path);
  for (const uint32_t site : trace->sources->SitesIn(path)) {
    const uint32_t line = trace->model->sites.line[site], row = trace->cost_of[site];
    if (line == 0 || row == kNone ||
        !HasWord((*text)->Line(present.Of(line - 1).line), codelet.variable.text))
      continue;
    for (const StringId name : trace->costs[row].names) names.emplace(trace->model->str(name));
  }
  return names;
}

std::set<std::string> CodeletAt(const Session& session, const std::string& path,
                                Position position) {
  const auto text = TextOf(session, path);
  if (!text.ok()) return {};
  const std::string_view line = (*text)->Line(position.line);
  const std::string_view word = WordAt(line, ByteOfColumn(line, position.column, session.encoding));
  if (word.empty()) return {};
  for (const SourceCodelet& codelet : FindCodelets((*text)->text())) {
    const bool is_kernel =
        std::any_of(codelet.kernels.begin(), codelet.kernels.end(),
                    [&](const SourceWord& kernel) { return kernel.text == word; });
    if (codelet.variable.text != word && codelet.name != word && !is_kernel) continue;
    return TaskNamesOf(session, path, codelet);
  }
  return {};
}

}  // namespace tasklens
