// SPDX-License-Identifier: Apache-2.0
// Looks things up in a session.
#include "server/session/session.h"

#include <filesystem>
#include <utility>

#include "server/protocol/uri.h"
#include "server/sources/code_index.h"

namespace tasklens {

Result<std::shared_ptr<const OpenTrace>> Session::Find(std::string_view id) const {
  if (id.empty() && !traces.empty()) return traces.back();
  std::string open;
  for (const auto& trace : traces) {
    if (trace->id == id) return trace;
    open += (open.empty() ? "" : ", ") + trace->id + " (" + trace->title + ")";
  }
  if (traces.empty())
    return Status(ErrorCode::kNotFound, "no trace is open; run a program or open a trace first");
  return Status(ErrorCode::kNotFound,
                "the trace " + std::string(id) + " is not open; open: " + open);
}

Result<std::shared_ptr<const OpenTrace>> Session::FindWhole(std::string_view id) const {
  auto found = Find(id);
  if (!found.ok() || (*found)->IsWhole()) return found;
  const OpenTrace& trace = **found;
  const std::string name = trace.id + " (" + trace.title + ")";
  if (!trace.not_read.empty())
    return Status(ErrorCode::kUnsupported,
                  "this needs all of the trace " + name +
                      ", but only its beginning was read: " + trace.not_read);
  return Status(ErrorCode::kUnsupported,
                "this needs all of the trace " + name +
                    ", which is still being read; try again when it has been");
}

void Session::DropViews() {
  for (auto& open : traces) {
    auto changed = std::make_shared<OpenTrace>(*open);
    changed->views = std::make_shared<TraceViews>(open->model);
    open = std::move(changed);
  }
}

CodeSources Session::Sources() const {
  CodeSources sources{roots.folders, {}, {}};
  for (const auto& trace : traces)
    for (std::string& path : trace->sources->Paths()) sources.others.push_back(std::move(path));
  for (const auto& [key, document] : documents) sources.documents.push_back(document);
  return sources;
}

std::shared_ptr<const Document> Session::FindDocument(std::string_view path) const {
  const auto it = documents.find(std::string(path));
  if (it != documents.end()) return it->second;
  // The document may be open under a name with links.
  for (const auto& [key, document] : documents)
    if (document->path == path) return document;
  return nullptr;
}

std::string DocumentKey(std::string_view uri) {
  const Result<std::string> path = PathOfUri(uri);
  return path.ok() ? std::filesystem::path(*path).lexically_normal().string() : std::string(uri);
}

}  // namespace tasklens
