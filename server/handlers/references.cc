// SPDX-License-Identifier: Apache-2.0
// textDocument/references: from a codelet (its variable, its name, a kernel, a line that submits
// it) to the lines that submitted its tasks. textDocument/definition: from there to the codelet and
// its kernels; in a generated file, to the line that a record names.
#include <algorithm>
#include <set>

#include "server/handlers/generated_files.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"
#include "server/protocol/uri.h"
#include "server/session/codelets.h"

namespace tasklens {
namespace {

struct Params {
  TextDocumentParams document;
  PositionParams at;
  void Visit(Fields& fields) {
    fields.Required("textDocument", document);
    fields.Required("position", at);
  }
};

// The names of the codelets that a place stands for: those submitted on its line, else the word's.
std::set<std::string> NamesAt(const Session& session, const std::string& path, Position position) {
  std::set<std::string> names;
  const SitesAtLine at = FindSitesAt(session, path, position.line);
  for (const uint32_t site : at.sites)
    if (const uint32_t row = at.trace->cost_of[site]; row != kNone)
      for (const StringId name : at.trace->costs[row].names)
        names.emplace(at.trace->model->str(name));
  if (names.empty()) names = CodeletAt(session, path, position);
  names.erase("");
  return names;
}

Result<json> References(const Session& session, const Params& params, const Call&) {
  const std::string path = PathOfDocument(session, params.document.uri);
  const std::set<std::string> names = NamesAt(session, path, params.at.position);
  json locations = json::array();
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it) {
    const OpenTrace& trace = **it;
    for (const SiteCost& cost : trace.costs) {
      const bool is_theirs = std::any_of(cost.names.begin(), cost.names.end(), [&](StringId name) {
        return names.contains(std::string(trace.model->str(name)));
      });
      if (!is_theirs) continue;
      const Result<Location> location = LocateSite(session, trace, cost.site);
      if (location.ok()) locations.push_back(location->ToJson());
    }
    // The newest trace that knows the codelet: older ones know the same lines, or lines of the
    // past.
    if (!locations.empty()) break;
  }
  return locations;
}

json LocationOf(const Session& session, const std::string& path, const Text& text,
                const SourceWord& word) {
  const std::string_view line = text.Line(word.line);
  const auto column = [&](size_t byte) {
    return ColumnsOf(line.substr(0, std::min(byte, line.size())), session.encoding);
  };
  return Location{UriOfPath(path),
                  {{word.line, column(word.begin_byte)}, {word.line, column(word.end_byte)}}}
      .ToJson();
}

// The codelets called `names` in the file `path`, and their kernels.
void AddDefinitions(const Session& session, const std::string& path,
                    const std::set<std::string>& names, json& locations) {
  const auto text = TextOf(session, path);
  if (!text.ok()) return;
  const std::string& source = (*text)->text();
  for (const SourceCodelet& codelet : FindCodelets(source)) {
    const std::set<std::string> own = TaskNamesOf(session, path, codelet);
    if (std::none_of(own.begin(), own.end(),
                     [&](const std::string& name) { return names.contains(name); }))
      continue;
    locations.push_back(LocationOf(session, path, **text, codelet.variable));
    for (const SourceWord& kernel : codelet.kernels) {
      const SourceWord function = FindFunction(source, kernel.text);
      if (function.line != UINT32_MAX)
        locations.push_back(LocationOf(session, path, **text, function));
    }
  }
}

Result<json> Definition(const Session& session, const Params& params, const Call& call) {
  const std::string path = PathOfDocument(session, params.document.uri);
  if (KindOf(session, path) != GeneratedKind::kNone) {
    const Result<Named> named = SourceNamedAt(session, path, params.at.position.line, call.stop());
    if (named.status().code() == ErrorCode::kCancelled) return named.status();
    return named.ok() ? named->source.ToJson() : json();
  }
  const std::set<std::string> names = NamesAt(session, path, params.at.position);
  json locations = json::array();
  if (names.empty()) return locations;
  std::set<std::string> files = {path};
  for (const auto& trace : session.traces)
    for (std::string& file : trace->sources->Paths()) files.insert(std::move(file));
  for (const std::string& file : files) AddDefinitions(session, file, names, locations);
  return locations;
}

}  // namespace

extern const RequestSpec kReferencesRequest, kDefinitionRequest;
const RequestSpec kReferencesRequest = Request<&References>("textDocument/references");
const RequestSpec kDefinitionRequest = Request<&Definition>("textDocument/definition");

}  // namespace tasklens
