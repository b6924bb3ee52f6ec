// SPDX-License-Identifier: Apache-2.0
// Handles what the client reports about itself, its folders and its documents.
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include "server/handlers/document_params.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/protocol/fields.h"
#include "server/protocol/uri.h"
#include "server/protocol/version.h"
#include "server/server.h"
#include "server/traces/earlier_run.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

struct DocumentParams : InDocument {
  int64_t version = 0;
  std::string text;
  void Visit(Fields& fields) {
    InDocument::Visit(fields);
    fields.Optional("textDocument.version", version);
    fields.Optional("textDocument.text", text);
  }
};

struct Change {
  json range;  // null: the whole text
  std::string text;
  void Visit(Fields& fields) {
    fields.Optional("range", range);
    fields.Required("text", text);
  }
};
struct ChangeParams : DocumentParams {
  std::vector<Change> changes;
  void Visit(Fields& fields) {
    DocumentParams::Visit(fields);
    fields.Required("contentChanges", changes);
  }
};

struct Folder {
  std::string uri;
  void Visit(Fields& fields) { fields.Required("uri", uri); }
};
struct FolderEvent {
  std::vector<Folder> added, removed;
  void Visit(Fields& fields) {
    fields.Optional("added", added);
    fields.Optional("removed", removed);
  }
};
struct FoldersParams {
  FolderEvent event;
  void Visit(Fields& fields) { fields.Required("event", event); }
};

struct InitializeParams {
  json process_id;
  std::string root_uri, root_path;
  std::vector<Folder> folders;
  json capabilities = json::object();
  Settings settings;
  void Visit(Fields& fields) {
    fields.Optional("processId", process_id);
    fields.Optional("rootUri", root_uri);
    fields.Optional("rootPath", root_path);
    fields.Optional("workspaceFolders", folders);
    fields.Optional("capabilities", capabilities);
    fields.Optional("initializationOptions", settings);
  }
};

// Puts `document` into `session`, replacing an older version.
void Keep(Session& session, Document document) {
  const std::string key = DocumentKey(document.uri);
  session.documents[key] = std::make_shared<const Document>(std::move(document));
}

// A run is built from saved texts, so each saved text is followed from then on. If there are too
// many, those between the first and the last few are dropped.
constexpr size_t kMaxPastTexts = 8;

void Remember(Document& document) {
  const std::string& text = document.text.text();
  if (!document.past.empty() && *document.past.back().text == text) return;
  if (document.past.size() == kMaxPastTexts) document.past.erase(document.past.begin() + 1);
  document.past.push_back(
      {std::make_shared<const std::string>(text), LineMap::Identity(document.text.line_count())});
}

Status Replace(Document& document, const Range& range, const std::string& with,
               PositionEncoding encoding) {
  const auto lines = document.text.LinesReplacedBy(range, with, encoding);
  const uint32_t expected = document.text.line_count() - (lines.end - lines.begin) + lines.count;
  // If a formatter or an undo replaced a block, most of its lines may be unchanged.
  const bool is_block = lines.end - lines.begin > 1 && lines.count > 0;
  LineMap change = LineMap::Identity(is_block ? document.text.line_count() : 0);
  const std::string before = is_block ? document.text.text() : "";
  if (Status status = document.text.Replace(range, with, encoding); !status.ok()) return status;
  if (is_block) {
    change.Replace(lines.begin, lines.end, lines.count);
    change = LineMap::Between(before, document.text.text(), change);
  }
  for (PastText& past : document.past) {
    if (is_block) {
      past.to_now = past.to_now.Then(change);
    } else {
      past.to_now.Replace(lines.begin, lines.end, lines.count);
    }
  }
  // If a CR and an LF were joined or separated, the count of lines is wrong.
  if (document.text.line_count() != expected) document.past.clear();
  return Status::Ok();
}

}  // namespace

Result<json> Server::Initialize(const json& raw) {
  Result<InitializeParams> params = ReadParams<InitializeParams>(raw);
  if (!params.ok()) return params.status();
  if (!params->process_id.is_null() && !params->process_id.is_number_integer())
    return Status(ErrorCode::kInvalidArgument, "params.processId must be an integer or null");
  client_ = ClientAbilities(params->capabilities);
  TellMisfit(Member(params->capabilities, "/experimental/tasklens/version"));
  for (const Folder& folder : params->folders) AddFolder(folder.uri);
  if (workspace_folders_.empty())
    AddFolder(params->root_uri.empty() ? params->root_path : params->root_uri);
  Update([&](Session& session) {
    session.settings = std::make_shared<const Settings>(std::move(params->settings));
  });
  SetRoots();
  Update([&](Session& session) {
    session.runs = std::make_shared<const std::vector<KeptRun>>(
        ReadKeptRuns(RunsFolder(session.workspace_folder())));
    session.encoding = client_.encoding;
    session.has_symbol_tags = client_.symbol_tags;
  });
  if (params->process_id.is_number_integer()) WatchClient(params->process_id.get<int64_t>());
  state_ = State::kRunning;
  return json{{"capabilities", Capabilities()},
              {"serverInfo", {{"name", "tasklens"}, {"version", version_}}}};
}

// Writes to the client's log: a client that announces a number compares it with the server's itself
// and tells the user.
void Server::TellMisfit(const json& announced) {
  if (announced.is_null() || announced == kProtocolVersion) return;
  const std::string ours =
      "this server (" + version_ + ") speaks protocol " + std::to_string(kProtocolVersion);
  const std::string sentence =
      !announced.is_number_integer()
          ? "capabilities.experimental.tasklens.version must be a whole number; " + ours
          : "the client speaks protocol " + announced.dump() + ", " + ours + ": update the " +
                (announced < kProtocolVersion ? "client" : "server") +
                "; until then some requests may fail";
  Notify("window/logMessage",
         {{"type", static_cast<int>(MessageType::kWarning)}, {"message", sentence}});
}

// All capabilities are offered to every client: one that announces nothing can still use those it
// knows.
json Server::Capabilities() const {
  json commands = json::array();
  for (const std::string_view method : OurMethods())
    commands.push_back(std::string(kCommandPrefix) +
                       std::string(method.substr(kMethodPrefix.size())));
  // A client with a progress display may send a token with each of these requests; others may
  // expect a plain `true`.
  const auto provider = [this](json options = json::object()) -> json {
    if (client_.work_done_progress) options["workDoneProgress"] = true;
    return options.empty() ? json(true) : options;
  };
  return {
      {"positionEncoding", NameOf(session_->encoding)},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"codeLensProvider", provider({{"resolveProvider", false}})},
      {"hoverProvider", provider()},
      {"inlayHintProvider", provider()},
      {"callHierarchyProvider", provider()},
      {"referencesProvider", provider()},
      {"definitionProvider", provider()},
      {"documentLinkProvider", provider({{"resolveProvider", false}})},
      {"documentSymbolProvider", provider()},
      {"foldingRangeProvider", provider()},
      {"workspaceSymbolProvider", provider()},
      {"codeActionProvider",
       client_.code_action_literals ? provider({{"codeActionKinds", {"quickfix"}}}) : provider()},
      {"executeCommandProvider", {{"commands", commands}, {"workDoneProgress", true}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}},
      {"experimental", {{"tasklens", {{"version", kProtocolVersion}}}}},
  };
}

void Server::WatchClient(int64_t pid) {
  if (pid <= 0 || pid > INT32_MAX) return;
  client_pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
  // A client in another container has a process number that means nothing here; then only the end
  // of standard input reveals that it has gone.
  if (client_pidfd_ < 0) return;
  client_watch_ = std::make_unique<QSocketNotifier>(client_pidfd_, QSocketNotifier::Read);
  QObject::connect(client_watch_.get(), &QSocketNotifier::activated, [this] {
    client_watch_->setEnabled(false);
    OnClientGone("the client's process has ended");
  });
}

void Server::AddFolder(const std::string& uri) {
  const auto path = PathOfUri(uri);
  if (!path.ok()) return;
  workspace_folders_.push_back(*path);
  folder_uris_[*path] = uri == *path ? UriOfPath(uri) : uri;
}

void Server::SetRoots() {
  SourceRoots workspace, roots;
  for (const std::string& folder : workspace_folders_) workspace.Add(folder);
  const std::vector<std::string>& folders = workspace.folders;
  // The user's source roots come before the default ones.
  for (const std::string& root : session_->settings->source_roots)
    roots.Add((fs::path(folders.empty() ? "" : folders[0]) / root).string());
  roots.named = roots.folders.size();
  for (const std::string& folder : folders) roots.Add(folder);
  live_traces_.SetHow({.roots = roots,
                       .memory_limit_bytes = session_->settings->MemoryLimitBytes(),
                       .limit_name = kLimitSetting});
  std::map<std::string, std::string> linked;
  for (const std::string& folder : workspace_folders_) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (!error && real != fs::path(DocumentKey(folder) + "/").parent_path())
      linked.emplace(real.string(), folder_uris_[folder]);
  }
  if (roots == session_->roots && folders == session_->workspace_folders &&
      linked == session_->linked_folders)
    return;
  Update([&](Session& session) {
    session.workspace_folders = folders;
    session.linked_folders = linked;
    session.roots = roots;
  });
  const auto traces = session_->traces;
  for (const auto& trace : traces) FindSourcesAgain(trace);
}

void Server::FindSourcesAgain(const std::shared_ptr<const OpenTrace>& trace) {
  if (trace->roots == session_->roots) return;
  loader_.Submit([this, trace, session = session_] {
    auto mapped = std::make_shared<OpenTrace>(*trace);
    mapped->FindSources(session->roots, session->settings->trusted);
    mapped->before = FindEarlierRun(*mapped, session->traces, *session->runs);
    queue_.Post([this, trace, mapped] {
      const auto open = session_->Find(trace->id);
      // The trace was closed or read again meanwhile; reading it again also looked for the sources.
      if (!open.ok() || (*open)->model != trace->model) return;
      mapped->insights = (*open)->insights;
      mapped->no_insights = (*open)->no_insights;
      KeepTrace(mapped, /*as_newest=*/false);
      NotifyOurs("tasklens/traceUpdated", messages::TraceUpdated{TraceMessage(*mapped), {}});
      TracesChanged();
      FindSourcesAgain(mapped);
    });
  });
}

void Server::OnFoldersChanged(const json& raw) {
  const Result<FoldersParams> params = ReadParams<FoldersParams>(raw);
  if (!params.ok()) return io_.log("didChangeWorkspaceFolders: " + params.status().message());
  for (const Folder& folder : params->event.removed)
    if (const auto path = PathOfUri(folder.uri); path.ok()) std::erase(workspace_folders_, *path);
  for (const Folder& folder : params->event.added) AddFolder(folder.uri);
  SetRoots();
}

void Server::OnConfigurationChanged(const json& raw) {
  // A client sends either all of its settings or our section only.
  json section = Member(raw, "/settings/tasklens");
  if (section.is_null()) section = Member(raw, "/settings");
  if (!section.is_object()) return;
  Result<Settings> settings = ReadParams<Settings>(section);
  if (!settings.ok()) return ShowMessage(MessageType::kError, settings.status().message());
  // A client that does not send `trusted` keeps the previous value.
  if (!section.contains("trusted")) settings->trusted = session_->settings->trusted;
  Update([&](Session& session) {
    session.settings = std::make_shared<const Settings>(std::move(*settings));
  });
  SetRoots();
  // The memory limit may be higher now.
  for (const auto& trace : session_->traces)
    if (!trace->no_insights.empty()) WorkOutInsights(trace);
  TracesChanged();
}

void Server::OnDidOpen(const json& raw) {
  Result<DocumentParams> params = ReadParams<DocumentParams>(raw);
  if (!params.ok()) return io_.log("didOpen: " + params.status().message());
  Document document;
  document.uri = params->uri;
  if (const auto path = PathOfUri(document.uri); path.ok()) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(*path, error);
    document.path = error ? *path : real.string();
  }
  document.version = params->version;
  document.text = Text(std::move(params->text));
  Remember(document);
  const std::string path = document.path;
  Update([&](Session& session) { Keep(session, std::move(document)); });
  // Some clients drop the diagnostics of a file when they close it.
  PublishAdvice(path, true);
}

void Server::OnDidChange(const json& raw) {
  const Result<ChangeParams> params = ReadParams<ChangeParams>(raw);
  if (!params.ok()) return io_.log("didChange: " + params.status().message());
  const auto open = session_->FindDocument(DocumentKey(params->uri));
  if (!open) return io_.log("didChange of a document that is not open: " + params->uri);
  Document document = *open;
  document.version = params->version;
  for (const Change& change : params->changes) {
    if (change.range.is_null()) {
      const LineMap lines = LineMap::Between(document.text.text(), change.text);
      document.text = Text(change.text);
      for (PastText& past : document.past) past.to_now = past.to_now.Then(lines);
      continue;
    }
    const Result<Range> range = ReadParams<Range>(change.range);
    Status status = range.status();
    if (range.ok()) status = Replace(document, *range, change.text, session_->encoding);
    // The client's text is not known any more; use the file on the disk.
    if (!status.ok()) {
      io_.log("didChange: " + status.message());
      return Update([&](Session& s) { s.documents.erase(DocumentKey(document.uri)); });
    }
  }
  const std::string path = document.path;
  Update([&](Session& session) { Keep(session, std::move(document)); });
  PublishAdvice(path);
}

void Server::OnDidSave(const json& raw) {
  const Result<DocumentParams> params = ReadParams<DocumentParams>(raw);
  if (!params.ok()) return io_.log("didSave: " + params.status().message());
  const auto open = session_->FindDocument(DocumentKey(params->uri));
  if (open) {
    Document document = *open;
    Remember(document);
    Update([&](Session& session) { Keep(session, std::move(document)); });
  }
  // The saved file may be the list of silenced rules, or that list may have changed meanwhile.
  PublishAllAdvice();
}

void Server::OnDidClose(const json& raw) {
  const Result<DocumentParams> params = ReadParams<DocumentParams>(raw);
  if (!params.ok()) return io_.log("didClose: " + params.status().message());
  const auto document = session_->FindDocument(DocumentKey(params->uri));
  Update([&](Session& s) { s.documents.erase(DocumentKey(params->uri)); });
  // From now on the file on the disk counts.
  if (document) PublishAdvice(document->path);
}

}  // namespace tasklens
