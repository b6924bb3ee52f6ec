// SPDX-License-Identifier: Apache-2.0
// What an action may do to the server: change the session, speak to the client, use the pool.
//
// Threads: the main thread only, but for IsCancelled() and IsRefused() of a Call.
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

// Writes a message into the JSON that it is given.
using WriteJson = std::function<void(json&)>;

// A request that came in and is not answered yet. Answering twice does nothing.
class Call {
 public:
  // An answer as the text of JSON that it becomes. To write out a large one, and to give it back,
  // takes as long as to make it, and is for the thread that made it.
  struct Written {
    std::string text;
  };
  // `send` is called once; the number counts when the result is not ok().
  using Send = std::function<void(Result<Written>, RpcError)>;
  // `progress_token`: the JSON that the client gave, as text; "" none.
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

  // Any thread: long loops look at it now and then.
  bool IsCancelled() const { return cancelled_; }
  // The same for analyses.
  Stop stop() const { return &cancelled_; }
  // The client does not want the answer any more. Answers with an error unless on_cancel was set;
  // then that function sees to it that the work ends, and the answer comes when it has.
  void Cancel();
  void OnCancel(std::function<void()> function) { on_cancel_ = std::move(function); }

  // Answers with an error that is ours, and has the work end as if it were cancelled.
  void Refuse(Status why);
  // Any thread.
  bool IsRefused() const { return refused_; }

  // `what` ends with this call, before the answer goes out.
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

// One piece of work in the client's progress display. Silent where the client has none.
class WorkProgress {
 public:
  virtual ~WorkProgress() = default;  // ends it
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
  // To clients that know them; output and news reach others as log messages.
  template <class Message>
  void NotifyOurs(std::string_view method, const Message& message) {
    NotifyOursBy(method, [&](json& out) { Write(message, out); });
  }
  virtual void NotifyOursBy(std::string_view method, const WriteJson& write) = 0;
  virtual void Ask(std::string_view method, json params,
                   std::function<void(Result<json>)> on_answer) = 0;
  // Window messages are for clients without a plugin, which would show an answer's own message.
  enum class MessageType { kError = 1, kWarning = 2, kInfo = 3 };  // the protocol's numbers
  virtual void ShowMessage(MessageType type, std::string_view text) = 0;
  virtual std::shared_ptr<WorkProgress> Begin(const std::shared_ptr<Call>& call,
                                              std::string_view title, bool can_cancel) = 0;

  // Bytes that were written and that the client has not taken yet.
  virtual size_t UnreadBytes() const = 0;

  virtual Runs& runs() = 0;
  struct TraceToLoad {
    std::vector<std::string> paths;
    std::string directory;     // as in LoadOptions
    uint64_t first_bytes = 0;  // the same; not 0: the rest is read after `done`
  };
  // Loads a trace beside all other work, makes it the newest and tells the client, then calls
  // `done` on the main thread. When `call` is cancelled meanwhile, the work ends.
  using Loaded = std::function<void(Result<std::shared_ptr<const OpenTrace>>)>;
  virtual void Load(const std::shared_ptr<Call>& call, std::shared_ptr<WorkProgress> progress,
                    TraceToLoad what, Loaded done) = 0;
  // After the set of open traces changed.
  virtual void TracesChanged() = 0;
  // Runs `work` on a thread for what may take long, then `then` on the main thread.
  virtual void Beside(std::function<void()> work, std::function<void()> then) = 0;
};

}  // namespace tasklens
