// SPDX-License-Identifier: Apache-2.0
// The state of the server at one moment: open traces, open documents, and where to look for
// sources.
//
// A Session is immutable. The main thread replaces it as a whole (Host::Update). A handler on the
// pool keeps the Session that it was started with, so its data neither changes nor goes away.
//
// Threads: const, so any number of readers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/text.h"
#include "server/runs/kept_runs.h"
#include "server/session/settings.h"
#include "server/sources/document.h"
#include "server/traces/open_trace.h"
#include "trace/support/status.h"

namespace tasklens {

class CodeIndex;
struct CodeSources;

struct Session {
  PositionEncoding encoding = PositionEncoding::kUtf16;
  bool has_symbol_tags = false;                     // whether the client shows tags of symbols
  std::shared_ptr<CodeIndex> code;                  // definitions in the sources of the workspace
  std::vector<std::string> workspace_folders = {};  // links resolved
  // The client's URIs of workspace folders that go through a link, by path.
  std::map<std::string, std::string> linked_folders = {};
  SourceRoots roots = {};
  std::shared_ptr<const Settings> settings = std::make_shared<const Settings>();
  // Kept runs of the workspace, the newest first; without a workspace, those in the user's cache.
  std::shared_ptr<const std::vector<KeptRun>> runs = std::make_shared<const std::vector<KeptRun>>();
  std::vector<std::shared_ptr<const OpenTrace>> traces;                   // the newest last
  std::map<std::string, std::shared_ptr<const Document>> documents = {};  // by DocumentKey()

  // Drops what is cached for later requests.
  void DropViews();

  // The first workspace folder; "" if there is none.
  std::string workspace_folder() const {
    return workspace_folders.empty() ? "" : workspace_folders[0];
  }
  // Returns the open trace `id`, or the newest for "". kNotFound lists the open traces.
  Result<std::shared_ptr<const OpenTrace>> Find(std::string_view id) const;
  // Like Find(), for requests that need the whole trace.
  Result<std::shared_ptr<const OpenTrace>> FindWhole(std::string_view id) const;
  // The sources of the workspace, of all traces, and of the documents that the client has open.
  CodeSources Sources() const;
  // Looks up a document by DocumentKey() or by path; nullptr if the client has not opened it.
  std::shared_ptr<const Document> FindDocument(std::string_view path) const;
};

// The answer to a request that was cancelled.
inline Status Cancelled() { return Status(ErrorCode::kCancelled, "cancelled"); }

// The key of a document: its path, or the URI if it is not a file. Clients may write the URI of one
// file in several ways.
std::string DocumentKey(std::string_view uri);

}  // namespace tasklens
