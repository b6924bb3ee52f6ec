// SPDX-License-Identifier: Apache-2.0
// The interface through which an action uses the server: changes the session, talks to the client,
// runs work on the pool.
//
// Threads: the main thread only, except IsCancelled() and IsRefused() of a Call.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/stop.h"
#include "server/protocol/client_abilities.h"
#include "server/protocol/conversion.h"
#include "server/runs/runs.h"
#include "server/session/session.h"

namespace tasklens {

enum class RpcError;

// Writes a message into the given JSON value.
using WriteJson = std::function<void(json&)>;

// A request that has not been answered yet. Only the first answer counts.
class Call {
 public:
  // An answer as serialized JSON text. Serializing and freeing a large answer takes as long as
  // building it, so the thread that built it does both.
  struct Written {
    std::string text;
  };
  // `send` is called once. The error code is used only if the result is not ok().
  using Send = std::function<void(Result<Written>, RpcError)>;
  // `progress_token`: the client's token as JSON text; "" none.
  explicit Call(Send send, std::string progress_token = "")
      : answer_(std::move(send)), progress_token_(std::move(progress_token)) {}

  // A message of server/messages/messages.h.
  template <class Message>
  void Answer(const Message& message) {
    AnswerBy([&](json& out) { Write(message, out); });
  }
  void AnswerBy(const WriteJson& write);
  void AnswerWritten(Written answer);
  // REQUIRES: !why.ok().
  void Answer(Status why);
  void Fail(RpcError code, std::string message);
  bool IsAnswered() const { return !answer_; }

  // Any thread. Long loops poll this.
  bool IsCancelled() const { return cancelled_; }
  // The same flag, for analyses.
  Stop stop() const { return &cancelled_; }
  // The client no longer wants the answer. Answers with an error, unless on_cancel is set; then
  // on_cancel stops the work, and the answer follows when the work has ended.
  void Cancel();
  void OnCancel(std::function<void()> function) { on_cancel_ = std::move(function); }

  // Answers with the server's own error `why` and stops the work as Cancel() does.
  void Refuse(Status why);
  // Any thread.
  bool IsRefused() const { return refused_; }

  // Keeps `what` alive until just before the answer is sent.
  void Hold(std::shared_ptr<void> what) { held_ = std::move(what); }

  const std::string& progress_token() const { return progress_token_; }

 private:
  void SendOnce(Result<Written> reply, RpcError code);

  Send answer_;
  std::function<void()> on_cancel_;
  std::shared_ptr<void> held_;
  std::atomic<bool> cancelled_{false}, refused_{false};
  const std::string progress_token_;
};

// One item in the client's progress display. Does nothing if the client has no such display.
class WorkProgress {
 public:
  virtual ~WorkProgress() = default;  // ends the item
  // `percentage` below 0: unknown.
  virtual void Report(std::string_view message, int percentage = -1) = 0;
};

class Host {
 public:
  virtual ~Host() = default;

  virtual const std::shared_ptr<const Session>& session() const = 0;
  virtual void Update(const std::function<void(Session&)>& change) = 0;
  virtual const ClientAbilities& client() const = 0;

  virtual void Notify(std::string_view method, json params) = 0;
  // Only clients with our plugin get the notification; other clients get output and news as log
  // messages.
  template <class Message>
  void NotifyOurs(std::string_view method, const Message& message) {
    NotifyOursBy(method, [&](json& out) { Write(message, out); });
  }
  virtual void NotifyOursBy(std::string_view method, const WriteJson& write) = 0;
  virtual void Ask(std::string_view method, json params,
                   std::function<void(Result<json>)> on_answer) = 0;
  // Window messages are for clients without our plugin. A plugin shows the message of an answer
  // itself.
  enum class MessageType { kError = 1, kWarning = 2, kInfo = 3 };  // the protocol's numbers
  virtual void ShowMessage(MessageType type, std::string_view text) = 0;
  virtual std::shared_ptr<WorkProgress> Begin(const std::shared_ptr<Call>& call,
                                              std::string_view title, bool can_cancel) = 0;

  // Bytes that were written but that the client has not read yet.
  virtual size_t UnreadBytes() const = 0;

  virtual Runs& runs() = 0;
  struct TraceToLoad {
    std::vector<std::string> paths;
    std::string directory;     // as in LoadOptions
    uint64_t first_bytes = 0;  // as in LoadOptions; not 0: the rest is read after `done`
  };
  // Loads a trace in the background, makes it the newest, tells the client, and then calls `done`
  // on the main thread. If `call` is cancelled meanwhile, the loading ends.
  using Loaded = std::function<void(Result<std::shared_ptr<const OpenTrace>>)>;
  virtual void Load(const std::shared_ptr<Call>& call, std::shared_ptr<WorkProgress> progress,
                    TraceToLoad what, Loaded done) = 0;
  // Call this after the set of open traces has changed.
  virtual void TracesChanged() = 0;
  // Runs `work`, which may take long, on another thread, then `then` on the main thread.
  virtual void Beside(std::function<void()> work, std::function<void()> then) = 0;
};

}  // namespace tasklens
