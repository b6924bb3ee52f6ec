// SPDX-License-Identifier: Apache-2.0
// The language server: life cycle, routing, and the state that handlers see.
//
// Bytes come in through OnBytes() and go out through Io::write; nothing here knows of file
// descriptors, so a test can drive it in its own process.
//
// Threads: the main thread, which runs a Qt event loop. Handlers of requests run on a pool, loading
// of traces on a thread of its own.
#pragma once

#include <QSocketNotifier>
#include <functional>
#include <map>
#include <memory>
#include <set>
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
  // The client closed its end, or died.
  void OnClientGone(std::string_view how);

  // Whether no thread is at work, so that this can be destroyed without waiting.
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
  // Begin() with a token of the server's, which the client is asked for.
  std::shared_ptr<WorkProgress> BeginAs(const std::string& token, const std::shared_ptr<Call>& call,
                                        std::string_view title, bool can_cancel);

  // What sets the limit of the memory, for people.
  static constexpr std::string_view kLimitSetting = "the setting memoryLimitMiB";

  class ShownProgress;
  class LoadProgress;
  struct LoadJob;
  enum class State { kUninitialized, kRunning, kShutDown, kExited };

  void OnMessage(std::string_view text);
  void OnRequest(RpcMessage& message);
  void OnNotification(const RpcMessage& message);
  void OnResponse(const RpcMessage& message);

  // Starts the handler of `method`; false when there is none.
  bool Dispatch(std::string_view method, const json& params, const std::shared_ptr<Call>& call);
  void ExecuteCommand(const json& params, const std::shared_ptr<Call>& call);
  void RunOnPool(const RequestSpec& request, json params, const std::shared_ptr<Call>& call);
  std::shared_ptr<Call> MakeCall(const RpcMessage& message);

  Result<json> Initialize(const json& params);
  json Capabilities() const;
  // Where the number of the protocol that the client announced is not ours.
  void TellMisfit(const json& announced);
  void WatchClient(int64_t pid);
  void AddFolder(const std::string& uri);
  void SetRoots();
  // Looks for the sources of a trace once more where the roots are not those it was done with.
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
  // In place of the open trace of the same id; else, or with `as_newest`, as the newest.
  void KeepTrace(const std::shared_ptr<const OpenTrace>& trace, bool as_newest);
  // Tells the client; `is_growing`: more is to come.
  void AnnounceTrace(const std::shared_ptr<const OpenTrace>& trace, bool is_growing);
  bool OnGrown(const std::shared_ptr<const OpenTrace>& trace, bool is_growing);
  // While the rest of a trace is read.
  void ShowReading(const std::string& id, double share);
  // The run before a trace that has become complete, beside all other work.
  void FindRunBefore(const std::shared_ptr<const OpenTrace>& trace);
  // Tells the client of the advice in a file, or in all files, where that has changed; `again`:
  // also where it has not.
  void PublishAdvice(const std::string& path, bool again = false);
  void PublishAllAdvice();
  // Beside all other work; the session has them later.
  void WorkOutInsights(const std::shared_ptr<const OpenTrace>& trace);
  // Changes the open trace `id`, if it is open still.
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
  std::map<std::string, std::string> folder_uris_;  // as the client wrote them, by path
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

  // Destroyed in this order, from below: first nothing runs any more, then nothing is posted.
  MainQueue queue_;
  Underway underway_;
  Runs runs_;
  Pool loader_{1};
  Pool background_{1, Pool::Ground::kBack};  // what nobody waits for
  Pool long_pool_{1};                        // requests that may take seconds
  Pool pool_{2};
  LiveTraces live_traces_;
};

}  // namespace tasklens
