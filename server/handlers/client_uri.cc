// SPDX-License-Identifier: Apache-2.0
// Compares the names of open documents, and of workspace folders, with their paths.
#include "server/handlers/client_uri.h"

#include <filesystem>

#include "server/protocol/uri.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// "/link" and "/real" for "/link/src/a.c" and "/real/src/a.c".
void StripCommonEnd(fs::path& name, fs::path& real) {
  while (name.has_relative_path() && real.has_relative_path() &&
         name.filename() == real.filename()) {
    name = name.parent_path();
    real = real.parent_path();
  }
}

}  // namespace

std::string ClientUri(const Session& session, const std::string& path) {
  if (const auto document = session.FindDocument(path)) return document->uri;
  for (const auto& [key, document] : session.documents) {
    if (document->path.empty() || document->path == key) continue;
    fs::path name = key, real = document->path;
    StripCommonEnd(name, real);
    const fs::path below = fs::path(path).lexically_relative(real);
    if (below.empty() || *below.begin() == "..") continue;
    const fs::path named = name / below;
    std::error_code error;
    if (fs::canonical(named, error) == path && !error) return UriOfPath(named.string());
  }
  for (const auto& [folder, uri] : session.linked_folders) {
    if (!path.starts_with(folder + "/")) continue;
    const size_t end = uri.find_last_not_of('/') + 1;
    return uri.substr(0, end) + UriOfPath(path.substr(folder.size())).substr(UriOfPath("").size());
  }
  return UriOfPath(path);
}

}  // namespace tasklens
