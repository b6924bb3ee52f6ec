// SPDX-License-Identifier: Apache-2.0
// tasklens/sources: the files on this machine for the names in a trace, how they were found, and
// the text from which their lines are followed.
#include <QByteArrayView>
#include <QCryptographicHash>
#include <map>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::SourcesAnswer, messages::SourcesParams;

std::string NameOf(SourceMap::FoundBy found_by) {
  switch (found_by) {
    case SourceMap::FoundBy::kNothing: return "";
    case SourceMap::FoundBy::kName: return "name";
    case SourceMap::FoundBy::kDirectory: return "directory";
    case SourceMap::FoundBy::kRoot: return "root";
    case SourceMap::FoundBy::kEnd: return "guess";
  }
  return "";
}

std::string NameOf(TextOrigin origin) {
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

Result<SourcesAnswer> Sources(const Session& session, const SourcesParams& params,
                              const Call& call) {
  const auto found = session.Find(params.trace);
  if (!found.ok()) return found.status();
  const OpenTrace& trace = **found;
  SourcesAnswer answer{.trace = trace.id, .directory = KnownText(trace.directory)};
  std::map<std::pair<std::string, std::string>, size_t> moved;  // and the number of files
  for (const SourceMap::File& file : trace.sources->Files()) {
    const auto text = trace.texts->find(file.path);
    const bool is_known = text != trace.texts->end();
    messages::SourceFile row{.file = file.name};
    if (file.path.empty()) {
      row.problem = file.problem;
    } else {
      row.path = file.path;
      row.found_by = NameOf(file.found_by);
    }
    if (is_known) {
      row.text = NameOf(text->second.origin);
      row.sha256 = Sha256(*text->second.text);
      row.certain = text->second.is_certain;
      if (session.settings->trusted && !call.IsCancelled())
        row.commit = KnownText(CommitOf(file.path, *text->second.text));
    }
    answer.files.push_back(std::move(row));
    const MovedRoot root = MovedRootOf(file);
    if (!root.to.empty()) ++moved[{root.from, root.to}];
  }
  for (const auto& [root, count] : moved)
    answer.guesses.push_back({.from = root.first, .to = root.second, .files = count});
  for (size_t i = 0; i < session.roots.folders.size(); ++i)
    answer.roots.push_back({.folder = session.roots.folders[i],
                            .origin = i < session.roots.named ? "sourceRoots" : "workspace"});
  return answer;
}

}  // namespace

extern const RequestSpec kSourcesRequest = LongRequest<&Sources>("tasklens/sources");

}  // namespace tasklens
