// SPDX-License-Identifier: Apache-2.0
// The language server: life cycle, routing, and the state that handlers see.
//
// Input arrives through OnBytes() and output leaves through Io::write. The class uses no file
// descriptors, so a test can run a server in its own process.
//
// Threads: the main thread, which runs a Qt event loop. Request handlers run on a pool; traces are
// loaded on a separate thread.
#pragma once

#include <QSocketNotifier>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/framing.h"
#include "server/session/host.h"
#include "server/session/live_traces.h"
#include "server/session/loop.h"
#include "server/session/underway.h"

namespace tasklens {

struct RequestSpec;
struct RpcMessage;

class Server : public Host {
 public:
  struct Io {
    std::function<void(std::string)> write;  // framed bytes
    std::function<size_t()> unread_bytes;
    std::function<void(int status)> exit;  // called once; the server is destroyed later
    std::function<void(std::string_view)> log;
  };
  Server(Io io, std::string version);
  ~Server() override;

  void OnBytes(std::string_view bytes);
  // The client closed its end of the connection, or died.
  void OnClientGone(std::string_view how);

  // True if no worker thread is busy, so that the destructor does not wait.
  bool IsIdle() {
    return pool_.IsIdle() && long_pool_.IsIdle() && loader_.IsIdle() && background_.IsIdle() &&
           live_traces_.IsIdle();
  }

  const std::shared_ptr<const Session>& session() const override { return session_; }
  void Update(const std::function<void(Session&)>& change) override;
  const ClientAbilities& client() const override { return client_; }
  void Notify(std::string_view method, json params) override;
  void NotifyOursBy(std::string_view method, const WriteJson& write) override;
  void Ask(std::string_view method, json params,
           std::function<void(Result<json>)> on_answer) override;
  void ShowMessage(MessageType type, std::string_view text) override;
  std::shared_ptr<WorkProgress> Begin(const std::shared_ptr<Call>& call, std::string_view title,
                                      bool can_cancel) override;
  size_t UnreadBytes() const override { return io_.unread_bytes(); }
  Runs& runs() override { return runs_; }
  void Load(const std::shared_ptr<Call>& call, std::shared_ptr<WorkProgress> progress,
            TraceToLoad what, Loaded done) override;
  void TracesChanged() override;
  void Beside(std::function<void()> work, std::function<void()> then) override;

 private:
  // Begin() with a token that the server chose; asks the client to show it.
  std::shared_ptr<WorkProgress> BeginAs(const std::string& token, const std::shared_ptr<Call>& call,
                                        std::string_view title, bool can_cancel);

  // The name of the memory limit in error messages.
  static constexpr std::string_view kLimitSetting = "the setting memoryLimitMiB";

  class ShownProgress;
  class LoadProgress;
  struct LoadJob;
  enum class State { kUninitialized, kRunning, kShutDown, kExited };

  void OnMessage(std::string_view text);
  void OnRequest(RpcMessage& message);
  void OnNotification(const RpcMessage& message);
  void OnResponse(const RpcMessage& message);

  // Starts the handler of `method`; returns false if there is no handler.
  bool Dispatch(std::string_view method, const json& params, const std::shared_ptr<Call>& call);
  void ExecuteCommand(const json& params, const std::shared_ptr<Call>& call);
  void RunOnPool(const RequestSpec& request, json params, const std::shared_ptr<Call>& call);
  std::shared_ptr<Call> MakeCall(const RpcMessage& message);

  Result<json> Initialize(const json& params);
  json Capabilities() const;
  // Shows a warning if the protocol number that the client announced differs from ours.
  void TellMisfit(const json& announced);
  void WatchClient(int64_t pid);
  void AddFolder(const std::string& uri);
  void SetRoots();
  // Searches for the sources of a trace again if the roots have changed since the last search.
  void FindSourcesAgain(const std::shared_ptr<const OpenTrace>& trace);

  void OnCancelRequest(const json& params);
  void OnProgressCancel(const json& params);
  void OnDidOpen(const json& params);
  void OnDidChange(const json& params);
  void OnDidSave(const json& params);
  void OnDidClose(const json& params);
  void OnFoldersChanged(const json& params);
  void OnConfigurationChanged(const json& params);

  void OnLoaded(LoadJob& job);
  // Replaces the open trace with the same id. If there is none, or with `as_newest`, appends the
  // trace as the newest.
  void KeepTrace(const std::shared_ptr<const OpenTrace>& trace, bool as_newest);
  // Tells the client about the trace. `is_growing`: more of it will be read.
  void AnnounceTrace(const std::shared_ptr<const OpenTrace>& trace, bool is_growing);
  bool OnGrown(const std::shared_ptr<const OpenTrace>& trace, bool is_growing);
  // Reports progress while the rest of a trace is read.
  void ShowReading(const std::string& id, double share);
  // Looks for the run before a trace that has become complete, on the background thread.
  void FindRunBefore(const std::shared_ptr<const OpenTrace>& trace);
  // Publishes the diagnostics of a file, or of all files, if they have changed; with `again` also
  // if they have not.
  void PublishAdvice(const std::string& path, bool again = false);
  void PublishAllAdvice();
  // Computes the insights on the background thread and adds them to the session later.
  void WorkOutInsights(const std::shared_ptr<const OpenTrace>& trace);
  // Changes the open trace `id`; does nothing if it has been closed.
  void UpdateTrace(const std::string& id, const std::function<void(OpenTrace&)>& change);
  void Write(std::string message);
  void Exit(int status);

  Io io_;
  const std::string version_;
  State state_ = State::kUninitialized;
  FrameReader frames_;
  std::shared_ptr<const Session> session_ = std::make_shared<const Session>();
  ClientAbilities client_;
  std::vector<std::string> workspace_folders_;
  std::map<std::string, std::string> folder_uris_;  // URIs as the client wrote them, by path
  int client_pidfd_ = -1;
  std::unique_ptr<QSocketNotifier> client_watch_;

  std::map<std::string, std::shared_ptr<Call>> calls_;  // by the JSON text of the id
  std::map<int64_t, std::function<void(Result<json>)>> asked_;
  int64_t next_ask_ = 1;
  std::map<std::string, std::weak_ptr<Call>> by_progress_;  // by the JSON text of the token
  int64_t next_trace_ = 1;
  std::map<std::string, std::string> published_;  // by path: the diagnostics the client has
  struct RestBeingRead {
    std::shared_ptr<Call> call;
    std::shared_ptr<WorkProgress> progress;
  };
  std::map<std::string, RestBeingRead> rests_;  // by id of the trace

  // Members are destroyed from the last to the first: first the threads end, then the queue goes.
  MainQueue queue_;
  Underway underway_;
  Runs runs_;
  Pool loader_{1};
  Pool background_{1, Pool::Ground::kBack};  // work that no request waits for
  Pool long_pool_{1};                        // requests that may take seconds
  Pool pool_{2};
  LiveTraces live_traces_;
};

}  // namespace tasklens
