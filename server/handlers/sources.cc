// SPDX-License-Identifier: Apache-2.0
// tasklens/sources: which files of this machine stand behind the names in a trace, how they were
// found, and which text it is that lines are followed from.
#include <QByteArrayView>
#include <QCryptographicHash>
#include <map>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  void Visit(Fields& fields) { fields.Optional("trace", trace); }
};

std::string_view NameOf(SourceMap::FoundBy found_by) {
  switch (found_by) {
    case SourceMap::FoundBy::kNothing: return "";
    case SourceMap::FoundBy::kName: return "name";
    case SourceMap::FoundBy::kDirectory: return "directory";
    case SourceMap::FoundBy::kRoot: return "root";
    case SourceMap::FoundBy::kEnd: return "guess";
  }
  return "";
}

std::string_view NameOf(TextOrigin origin) {
  switch (origin) {
    case TextOrigin::kSaved: return "saved";
    case TextOrigin::kDisk: return "disk";
    case TextOrigin::kHistory: return "history";
  }
  return "";
}

std::string Sha256(const std::string& text) {
  const QByteArrayView bytes(text.data(), static_cast<qsizetype>(text.size()));
  return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().toStdString();
}

Result<json> Sources(const Session& session, const Params& params, const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  json files = json::array(), roots = json::array(), guesses = json::array();
  std::map<std::pair<std::string, std::string>, size_t> moved;  // with the number of files
  for (const SourceMap::File& file : trace.sources->Files()) {
    const auto text = trace.texts->find(file.path);
    const bool is_known = text != trace.texts->end();
    std::string commit;
    if (is_known && session.settings->trusted && !call.IsCancelled())
      commit = CommitOf(file.path, *text->second.text);
    files.push_back({{"file", file.name},
                     {"path", file.path.empty() ? json() : json(file.path)},
                     {"foundBy", file.path.empty() ? json() : json(NameOf(file.found_by))},
                     {"problem", file.path.empty() ? json(file.problem) : json()},
                     {"text", is_known ? json(NameOf(text->second.origin)) : json()},
                     {"sha256", is_known ? json(Sha256(*text->second.text)) : json()},
                     {"commit", commit.empty() ? json() : json(commit)},
                     {"certain", is_known && text->second.is_certain}});
    const MovedRoot root = MovedRootOf(file);
    if (!root.to.empty()) ++moved[{root.from, root.to}];
  }
  for (const auto& [root, count] : moved)
    guesses.push_back({{"from", root.first}, {"to", root.second}, {"files", count}});
  for (size_t i = 0; i < session.roots.folders.size(); ++i)
    roots.push_back({{"folder", session.roots.folders[i]},
                     {"origin", i < session.roots.named ? "sourceRoots" : "workspace"}});
  return json{{"trace", trace.id},
              {"directory", trace.directory.empty() ? json() : json(trace.directory)},
              {"roots", std::move(roots)},
              {"guesses", std::move(guesses)},
              {"files", std::move(files)}};
}

}  // namespace

extern const RequestSpec kSourcesRequest;
const RequestSpec kSourcesRequest = LongRequest<&Sources>("tasklens/sources");

}  // namespace tasklens
