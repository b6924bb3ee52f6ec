// SPDX-License-Identifier: Apache-2.0
// What the server knows at one moment: open traces, open documents, where sources may lie.
//
// A Session is immutable. The main thread replaces it as a whole (Host::Update); a handler on the
// pool works on the one it was started with, so nothing it uses goes away or changes under it.
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
  std::shared_ptr<CodeIndex> code;                  // what the sources of the workspace define
  std::vector<std::string> workspace_folders = {};  // links resolved
  // Of these, by path: the client's URI, where that goes through a link.
  std::map<std::string, std::string> linked_folders = {};
  SourceRoots roots = {};
  std::shared_ptr<const Settings> settings = std::make_shared<const Settings>();
  // Of the workspace, the newest first; those of the user's cache where there is none.
  std::shared_ptr<const std::vector<KeptRun>> runs = std::make_shared<const std::vector<KeptRun>>();
  std::vector<std::shared_ptr<const OpenTrace>> traces;                   // the newest last
  std::map<std::string, std::shared_ptr<const Document>> documents = {};  // by DocumentKey()

  // Forgets what requests keep for the next ones.
  void DropViews();

  // The first one; "" none.
  std::string workspace_folder() const {
    return workspace_folders.empty() ? "" : workspace_folders[0];
  }
  // The open trace `id`; the newest for "". kNotFound says which are open.
  Result<std::shared_ptr<const OpenTrace>> Find(std::string_view id) const;
  // The same for what has no answer before all of the trace is read.
  Result<std::shared_ptr<const OpenTrace>> FindWhole(std::string_view id) const;
  // Of the workspace, of all traces, and those that the client has open.
  CodeSources Sources() const;
  // By DocumentKey() or by path; nullptr when the client has not opened it.
  std::shared_ptr<const Document> FindDocument(std::string_view path) const;
};

// Clients may write one file's URI in several ways: its path, or the URI itself when it is no file.
std::string DocumentKey(std::string_view uri);

}  // namespace tasklens
