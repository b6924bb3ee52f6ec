// SPDX-License-Identifier: Apache-2.0
// Routes messages: requests to the handlers, answers to the callers, work to the threads.
#include "server/server.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analysis/text.h"
#include "converters/trace_files.h"
#include "server/handlers/fitting.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/protocol/fields.h"
#include "server/protocol/parse_json.h"
#include "server/session/memory.h"
#include "server/sources/code_index.h"
#include "server/traces/earlier_run.h"
#include "server/traces/insights.h"

namespace tasklens {
namespace {

// The id or token as a key: 1 and "1" are different.
std::string KeyOf(const json& id) {
  return id.dump(-1, ' ', false, json::error_handler_t::replace);
}

struct IdParams {
  json id;
  void Visit(Fields& fields) { fields.Required("id", id); }
};
struct TokenParams {
  json token;
  void Visit(Fields& fields) { fields.Required("token", token); }
};
struct CommandParams {
  std::string command;
  std::vector<json> arguments;
  void Visit(Fields& fields) {
    fields.Required("command", command);
    fields.Optional("arguments", arguments);
  }
};

template <class Spec>
const Spec* FindSpec(const std::vector<const Spec*>& table, std::string_view method) {
  const auto it = std::find_if(table.begin(), table.end(),
                               [&](const Spec* spec) { return spec->method == method; });
  return it == table.end() ? nullptr : *it;
}

bool HaveSameText(const std::shared_ptr<const Document>& a,
                  const std::shared_ptr<const Document>& b) {
  return a == b || (a && b && a->version == b->version && a->text.text() == b->text.text());
}

// True if two traces have the same files, however the user named them. For a growing trace the
// first file suffices, because other ranks start later.
bool AreOfOneRun(const OpenTrace& a, const OpenTrace& b, bool is_growing) {
  const auto files_a = TraceFiles(a.paths), files_b = TraceFiles(b.paths);
  if (!files_a.ok() || !files_b.ok() || files_a->empty() || files_b->empty()) return false;
  if (!is_growing && files_a->size() != files_b->size()) return false;
  std::error_code error;
  const size_t count = is_growing ? 1 : files_a->size();
  for (size_t i = 0; i < count; ++i)
    if (!std::filesystem::equivalent((*files_a)[i], (*files_b)[i], error)) return false;
  return true;
}

// Takes the answer by value, so that it is freed on the calling thread.
Call::Written WrittenOut(json answer) {
  return {answer.dump(-1, ' ', false, json::error_handler_t::replace)};
}
std::string FrameWritten(const json& id, const Call::Written& answer) {
  const std::string begin = R"({"id":)" + KeyOf(id) + R"(,"jsonrpc":"2.0","result":)";
  return Frame({begin, answer.text, "}"});
}

// A progress that shows nothing.
class NoProgress : public WorkProgress {
 public:
  void Report(std::string_view, int) override {}
};

}  // namespace

// Holds messages back until the client has accepted the token, if the token had to be requested.
class Server::ShownProgress : public WorkProgress {
 public:
  ShownProgress(Server& server, json token, bool is_accepted)
      : server_(server), token_(std::move(token)), is_accepted_(is_accepted) {}
  ~ShownProgress() override {
    Send({{"kind", "end"}});
    server_.by_progress_.erase(KeyOf(token_));
  }

  void Start(std::string_view title, bool can_cancel) {
    Send({{"kind", "begin"}, {"title", title}, {"cancellable", can_cancel}});
  }
  void Report(std::string_view message, int percentage) override {
    json value = {{"kind", "report"}, {"message", message}};
    if (percentage >= 0) value["percentage"] = percentage;
    Send(std::move(value));
  }
  // The client accepted the token: sends the messages held back.
  void Accept() {
    is_accepted_ = true;
    for (json& value : waiting_) Send(std::move(value));
    waiting_.clear();
  }

 private:
  void Send(json value) {
    if (is_accepted_) {
      server_.Notify("$/progress", {{"token", token_}, {"value", std::move(value)}});
    } else {
      waiting_.push_back(std::move(value));
    }
  }

  Server& server_;
  const json token_;
  bool is_accepted_;
  std::vector<json> waiting_;
};

Server::Server(Io io, std::string version)
    : io_(std::move(io)),
      version_(std::move(version)),
      underway_({.limit_bytes = [this] { return session_->settings->MemoryLimitBytes(); },
                 .limit_name = kLimitSetting,
                 .show = [this](const std::shared_ptr<Call>& call,
                                std::string_view title) { return Begin(call, title, true); },
                 .give_back = [this] { Update([](Session& session) { session.DropViews(); }); }}),
      live_traces_(
          queue_,
          [this](const std::shared_ptr<const OpenTrace>& trace, bool is_growing) {
            return OnGrown(trace, is_growing);
          },
          [this](const std::string& id, double share) { ShowReading(id, share); }) {
  Update([](Session& session) { session.code = std::make_shared<CodeIndex>(); });
}

Server::~Server() {
  state_ = State::kExited;
  runs_.EndAllNow();
  // Cancels open calls, so that their owners release the server's objects. Nothing is sent any
  // more.
  for (const auto& [id, call] : std::exchange(calls_, {}))
    call->Fail(RpcError::kRequestCancelled, "the server has ended");
  rests_.clear();
  client_watch_.reset();
  if (client_pidfd_ >= 0) close(client_pidfd_);
}

void Server::OnBytes(std::string_view bytes) {
  for (const Result<std::string>& message : frames_.Feed(bytes)) {
    if (state_ == State::kExited) return;
    if (message.ok()) {
      OnMessage(*message);
    } else {
      io_.log(message.status().message());
      Write(ErrorText(nullptr, RpcError::kParseError, message.status().message()));
    }
  }
  if (frames_.IsLost()) OnClientGone("the client does not speak the protocol");
}

void Server::OnClientGone(std::string_view how) {
  if (state_ == State::kExited) return;
  if (state_ != State::kShutDown) io_.log(how);
  if (frames_.HasPartialMessage()) io_.log("the last message of the client is incomplete");
  Exit(state_ == State::kShutDown ? 0 : 1);
}

void Server::Exit(int status) {
  if (state_ == State::kExited) return;
  state_ = State::kExited;
  runs_.EndAllNow();
  io_.exit(status);
}

void Server::Write(std::string message) {
  if (state_ != State::kExited) io_.write(Frame(message));
}

void Server::OnMessage(std::string_view text) {
  RpcMessage message;
  RpcFailure failure;
  if (!ParseRpc(text, message, failure)) {
    io_.log(failure.message);
    return Write(ErrorText(failure.id, failure.code, failure.message));
  }
  switch (message.kind) {
    case RpcMessage::Kind::kRequest: return OnRequest(message);
    case RpcMessage::Kind::kNotification: return OnNotification(message);
    case RpcMessage::Kind::kResponse: return OnResponse(message);
  }
}

std::shared_ptr<Call> Server::MakeCall(const RpcMessage& message) {
  json token;
  if (message.params.is_object()) token = message.params.value("workDoneToken", json());
  const bool is_token = token.is_string() || token.is_number_integer();
  const std::string key = KeyOf(message.id);
  auto call = std::make_shared<Call>(
      [this, key, id = message.id](const Result<Call::Written>& reply, RpcError code) {
        calls_.erase(key);
        if (!reply.ok()) return Write(ErrorText(id, code, reply.status().message()));
        if (state_ != State::kExited) io_.write(FrameWritten(id, *reply));
      },
      is_token ? KeyOf(token) : "");
  calls_[key] = call;
  return call;
}

void Server::OnRequest(RpcMessage& message) {
  if (calls_.contains(KeyOf(message.id)))
    return Write(ErrorText(message.id, RpcError::kInvalidRequest,
                           "a request with this id is not answered yet"));
  if (state_ == State::kShutDown)
    return Write(ErrorText(message.id, RpcError::kInvalidRequest, "only exit may follow shutdown"));
  if (message.method == "initialize") {
    if (state_ != State::kUninitialized)
      return Write(ErrorText(message.id, RpcError::kInvalidRequest, "initialize came twice"));
    const std::shared_ptr<Call> call = MakeCall(message);
    Result<json> answer = Initialize(message.params);
    return answer.ok() ? call->AnswerWritten(WrittenOut(*std::move(answer)))
                       : call->Answer(answer.status());
  }
  if (state_ == State::kUninitialized)
    return Write(ErrorText(message.id, RpcError::kServerNotInitialized,
                           message.method + " came before initialize"));
  const std::shared_ptr<Call> call = MakeCall(message);
  if (message.method == "shutdown") {
    state_ = State::kShutDown;
    runs_.EndAllNow();
    call->AnswerWritten(WrittenOut(nullptr));
    const auto open_calls = calls_;
    for (const auto& [id, open] : open_calls)
      open->Fail(RpcError::kRequestCancelled, "the server is shutting down");
    underway_.Abandon();
    return;
  }
  if (message.method == "workspace/executeCommand") return ExecuteCommand(message.params, call);
  if (Dispatch(message.method, message.params, call)) return;
  calls_.erase(KeyOf(message.id));
  Write(ErrorText(message.id, RpcError::kMethodNotFound, "unknown request " + message.method));
}

bool Server::Dispatch(std::string_view method, const json& params,
                      const std::shared_ptr<Call>& call) {
  if (const ActionSpec* action = FindSpec(Actions(), method)) {
    action->start(*this, params, call);
    return true;
  }
  if (const RequestSpec* request = FindSpec(Requests(), method)) {
    RunOnPool(*request, params, call);
    return true;
  }
  return false;
}

void Server::ExecuteCommand(const json& params, const std::shared_ptr<Call>& call) {
  const Result<CommandParams> command = ReadParams<CommandParams>(params);
  if (!command.ok()) return call->Answer(command.status());
  const std::string_view name = command->command;
  if (command->arguments.size() > 1)
    return call->Answer(Status(ErrorCode::kInvalidArgument,
                               "a command takes one argument, an object with its parameters"));
  static const json kEmpty = json::object();
  const json& argument = command->arguments.empty() ? kEmpty : command->arguments[0];
  if (name.starts_with(kCommandPrefix) &&
      Dispatch(std::string(kMethodPrefix) + std::string(name.substr(kCommandPrefix.size())),
               argument, call))
    return;
  call->Answer(Status(ErrorCode::kInvalidArgument, "unknown command " + std::string(name)));
}

void Server::RunOnPool(const RequestSpec& request, json params, const std::shared_ptr<Call>& call) {
  // Lines in an answer about a text that has changed meanwhile would be wrong.
  std::string document;
  if (params.is_object() && params.contains("textDocument"))
    if (const json& text = params["textDocument"]; text.is_object() && text.contains("uri"))
      if (text["uri"].is_string()) document = DocumentKey(text["uri"].get<std::string>());
  Pool& pool = request.is_long ? long_pool_ : pool_;
  const auto work = underway_.Add(call, TitleOfMethod(request.method));
  pool.Submit([this, &request, &pool, params = std::move(params), call, document, work,
               session = session_]() mutable {
    work->MarkBegun();
    auto result = std::make_shared<Result<Call::Written>>(ErrorCode::kCancelled, "cancelled");
    try {
      Result<json> answer = request.Handle(*session, params, *call);
      if (answer.ok())
        *result = WrittenOut(Fitting(client_, request.method, params, std::move(*answer)));
      else
        *result = answer.status();
    } catch (const std::bad_alloc&) {
      *result = Status(ErrorCode::kIo, "not enough memory for this answer");
    } catch (const std::exception& e) {
      *result = Status(ErrorCode::kInternal, std::string("defect in the server: ") + e.what());
    }
    const auto before = document.empty() ? nullptr : session->FindDocument(document);
    session.reset();
    const bool is_refused = call->IsRefused();
    if (is_refused) GiveMemoryBack();
    queue_.Post([this, call, result, document, work, before, is_refused, &pool] {
      underway_.Remove(work);
      if (call->IsRefused() && !is_refused) pool.Submit(&GiveMemoryBack);
      if (!document.empty() && !call->IsAnswered() &&
          !HaveSameText(before, session_->FindDocument(document)))
        return call->Fail(RpcError::kContentModified, "the document has changed");
      if (!result->ok()) return call->Answer(result->status());
      call->AnswerWritten(std::move(**result));
    });
  });
}

void Server::OnResponse(const RpcMessage& message) {
  const auto it =
      message.id.is_number_integer() ? asked_.find(message.id.get<int64_t>()) : asked_.end();
  if (it == asked_.end()) return io_.log("a response to a request that was not sent");
  const auto on_answer = std::move(it->second);
  asked_.erase(it);
  if (message.error.is_null()) return on_answer(message.result);
  std::string text = "the client refused";
  if (message.error.is_object() && message.error.contains("message") &&
      message.error["message"].is_string())
    text = message.error["message"].get<std::string>();
  on_answer(Status(ErrorCode::kUnsupported, text));
}

void Server::OnNotification(const RpcMessage& message) {
  if (message.method == "exit") return Exit(state_ == State::kShutDown ? 0 : 1);
  if (state_ != State::kRunning) return;
  struct Row {
    std::string_view method;
    void (Server::*handle)(const json&);
  };
  static constexpr Row kRows[] = {
      {"$/cancelRequest", &Server::OnCancelRequest},
      {"textDocument/didOpen", &Server::OnDidOpen},
      {"textDocument/didChange", &Server::OnDidChange},
      {"textDocument/didSave", &Server::OnDidSave},
      {"textDocument/didClose", &Server::OnDidClose},
      {"window/workDoneProgress/cancel", &Server::OnProgressCancel},
      {"workspace/didChangeConfiguration", &Server::OnConfigurationChanged},
      {"workspace/didChangeWorkspaceFolders", &Server::OnFoldersChanged},
  };
  for (const Row& row : kRows)
    if (row.method == message.method) return (this->*row.handle)(message.params);
}

void Server::OnCancelRequest(const json& params) {
  const Result<IdParams> cancel = ReadParams<IdParams>(params);
  if (!cancel.ok()) return io_.log("$/cancelRequest: " + cancel.status().message());
  const auto it = calls_.find(KeyOf(cancel->id));
  if (it == calls_.end()) return;  // answered already
  const std::shared_ptr<Call> call = it->second;
  call->Cancel();
}

void Server::OnProgressCancel(const json& params) {
  const Result<TokenParams> cancel = ReadParams<TokenParams>(params);
  if (!cancel.ok()) return;
  const auto it = by_progress_.find(KeyOf(cancel->token));
  if (it == by_progress_.end()) return;
  if (const std::shared_ptr<Call> call = it->second.lock()) call->Cancel();
}

void Server::Update(const std::function<void(Session&)>& change) {
  auto next = std::make_shared<Session>(*session_);
  change(*next);
  const auto before = std::exchange(session_, std::move(next));
  // Freeing a large trace takes long, so it must not happen on the main thread. The pool drops the
  // last references, after the work that still uses the trace.
  std::vector<std::shared_ptr<const OpenTrace>> dropped;
  const auto& kept = session_->traces;
  for (const auto& trace : before->traces)
    if (std::find(kept.begin(), kept.end(), trace) == kept.end()) dropped.push_back(trace);
  if (dropped.empty()) return;
  live_traces_.KeepOnly(kept);
  std::erase_if(rests_, [&](const auto& rest) { return !live_traces_.IsGrowing(rest.first); });
  queue_.Post([this, dropped = std::move(dropped)]() mutable {
    long_pool_.Submit([dropped = std::move(dropped)]() mutable { dropped.clear(); });
  });
}

void Server::Notify(std::string_view method, json params) {
  Write(NotificationText(method, std::move(params)));
}

void Server::NotifyOursBy(std::string_view method, const WriteJson& write) {
  json params;
  write(params);
  if (client_.our_notifications) return Notify(method, std::move(params));
  if (params.contains("text"))
    Notify("window/logMessage", {{"type", 4}, {"message", params["text"]}});
}

void Server::Ask(std::string_view method, json params,
                 std::function<void(Result<json>)> on_answer) {
  const int64_t id = next_ask_++;
  asked_[id] = std::move(on_answer);
  Write(RequestText(id, method, std::move(params)));
}

void Server::ShowMessage(MessageType type, std::string_view text) {
  if (client_.our_notifications) return;
  Notify("window/showMessage", {{"type", static_cast<int>(type)}, {"message", text}});
}

std::shared_ptr<WorkProgress> Server::Begin(const std::shared_ptr<Call>& call,
                                            std::string_view title, bool can_cancel) {
  if (call->progress_token().empty())
    return BeginAs("tasklens-" + std::to_string(next_ask_), call, title, can_cancel);
  const json token = ParseJson(call->progress_token());
  auto progress = std::make_shared<ShownProgress>(*this, token, /*is_accepted=*/true);
  by_progress_[KeyOf(token)] = call;
  progress->Start(title, can_cancel);
  return progress;
}

std::shared_ptr<WorkProgress> Server::BeginAs(const std::string& token,
                                              const std::shared_ptr<Call>& call,
                                              std::string_view title, bool can_cancel) {
  if (!client_.work_done_progress) return std::make_shared<NoProgress>();
  auto progress = std::make_shared<ShownProgress>(*this, token, /*is_accepted=*/false);
  by_progress_[KeyOf(token)] = call;
  progress->Start(title, can_cancel);
  // The progress lives until the client answers, so that its messages are not lost.
  Ask("window/workDoneProgress/create", {{"token", token}},
      [progress](const Result<json>& accepted) {
        if (accepted.ok()) progress->Accept();
      });
  return progress;
}

// The state of a load. It moves between threads and is destroyed on the main thread, because
// objects captured by `done` talk to the client in their destructors.
struct Server::LoadJob {
  std::shared_ptr<Call> call;
  std::shared_ptr<WorkProgress> progress;
  TraceToLoad what;
  std::shared_ptr<const Session> session;  // the session when the load was requested
  Loaded done;
  Result<std::shared_ptr<OpenTrace>> loaded{ErrorCode::kCancelled, "cancelled"};
};

// Passes the percentage to the client and its cancellation to the loader. Stops a load that would
// exceed the memory limit.
class Server::LoadProgress : public Progress {
 public:
  LoadProgress(MainQueue& queue, const LoadJob& job)
      : queue_(queue), job_(job), limit_(job.session->settings->MemoryLimitBytes()) {}

  // Returns an error if the server is, or was at any time, above its memory limit.
  Status Room() {
    if (!limit_.IsExceeded()) return Status::Ok();
    return BeyondMemoryLimit(job_.what.paths[0], limit_.bytes(), kLimitSetting);
  }

  bool Report(uint64_t done, uint64_t total) override {
    const int percentage = total > 0 ? static_cast<int>(100.0 * done / total) : 0;
    if (percentage >= shown_ + 5) {
      shown_ = percentage;
      // A weak reference, so that this message is never the last owner.
      queue_.Post([progress = std::weak_ptr(job_.progress), percentage] {
        if (const auto shown = progress.lock()) shown->Report("reading", percentage);
      });
    }
    return !job_.call->IsCancelled() && !limit_.IsExceeded();
  }

 private:
  MainQueue& queue_;
  const LoadJob& job_;
  MemoryLimit limit_;
  int shown_ = 0;
};

void Server::Load(const std::shared_ptr<Call>& call, std::shared_ptr<WorkProgress> progress,
                  TraceToLoad what, Loaded done) {
  auto job = std::make_shared<LoadJob>(
      LoadJob{call, std::move(progress), std::move(what), session_, std::move(done)});
  loader_.Submit([this, job = std::move(job)]() mutable {
    try {
      LoadProgress load_progress(queue_, *job);
      const Status are_files = CheckAreFiles(job->what.paths);
      if (!are_files.ok()) {
        job->loaded = are_files;
      } else if (!job->call->IsCancelled())
        job->loaded = LoadTrace(job->what.paths, {.roots = job->session->roots,
                                                  .directory = job->what.directory,
                                                  .progress = &load_progress,
                                                  .may_run_git = job->session->settings->trusted,
                                                  .first_bytes = job->what.first_bytes});
      const bool is_whole = job->loaded.ok();
      if (const Status room = load_progress.Room();
          !room.ok() && (is_whole || job->loaded.status().code() == ErrorCode::kCancelled)) {
        job->loaded = room;
        GiveMemoryBack();
      }
      if (job->loaded.ok() && (*job->loaded)->IsWhole())
        (*job->loaded)->before =
            FindEarlierRun(**job->loaded, job->session->traces, *job->session->runs);
    } catch (const std::bad_alloc&) {
      job->loaded =
          Status(ErrorCode::kIo, job->what.paths[0] + ": not enough memory for this trace");
    } catch (const std::exception& e) {
      job->loaded = Status(ErrorCode::kInternal, job->what.paths[0] + ": " + e.what());
    }
    queue_.Post([this, job = std::move(job)] { OnLoaded(*job); });
  });
}

void Server::OnLoaded(LoadJob& job) {
  job.progress.reset();  // ends the progress before the answer
  if (job.call->IsCancelled()) return job.done(Cancelled());
  if (!job.loaded.ok()) return job.done(job.loaded.status());
  // A trace that is opened again keeps its id.
  for (const auto& open : session_->traces)
    if (AreOfOneRun(*open, **job.loaded, live_traces_.IsGrowing(open->id)))
      (*job.loaded)->id = open->id;
  if ((*job.loaded)->id.empty()) (*job.loaded)->id = "t" + std::to_string(next_trace_++);
  const std::shared_ptr<const OpenTrace> trace = *job.loaded;
  KeepTrace(trace, /*as_newest=*/true);
  live_traces_.Follow(trace, session_->settings->trusted);
  AnnounceTrace(trace, trace->IsGrowing() && live_traces_.IsGrowing(trace->id));
  FindSourcesAgain(trace);
  job.done(trace);
}

void Server::KeepTrace(const std::shared_ptr<const OpenTrace>& trace, bool as_newest) {
  Update([&](Session& session) {
    auto& traces = session.traces;
    const auto open = std::find_if(traces.begin(), traces.end(),
                                   [&](const auto& other) { return other->id == trace->id; });
    if (open != traces.end() && !as_newest) return void(*open = trace);
    if (open != traces.end()) traces.erase(open);
    traces.push_back(trace);
  });
}

void Server::AnnounceTrace(const std::shared_ptr<const OpenTrace>& trace, bool is_growing) {
  NotifyOurs("tasklens/traceUpdated", messages::TraceUpdated{TraceMessage(*trace), is_growing});
  TracesChanged();
  if (trace->IsWhole()) WorkOutInsights(trace);
}

bool Server::OnGrown(const std::shared_ptr<const OpenTrace>& trace, bool is_growing) {
  const auto open = session_->Find(trace->id);
  if (trace->IsWhole() || !is_growing) rests_.erase(trace->id);
  // The trace was closed meanwhile, or the run that made it has already read it in full.
  if (!open.ok() || !(*open)->IsGrowing()) return false;
  // The roots changed while the trace was read; the open trace has the new roots already.
  if (trace->roots != session_->roots) {
    loader_.Submit([this, trace, is_growing, session = session_] {
      auto mapped = std::make_shared<OpenTrace>(*trace);
      mapped->FindSources(session->roots, session->settings->trusted);
      queue_.Post([this, mapped, is_growing] { OnGrown(mapped, is_growing); });
    });
    return true;
  }
  // The trace may have been read again meanwhile.
  const bool is_old = trace->model->event_count < (*open)->model->event_count;
  if (is_old && is_growing) return true;
  if (!is_old) KeepTrace(trace, /*as_newest=*/false);
  if (trace->IsWhole() && !is_growing) FindRunBefore(is_old ? *open : trace);
  if (!is_growing) {
    AnnounceTrace(is_old ? *open : trace, false);
    if (!trace->not_read.empty())
      Notify("window/showMessage",
             {{"type", static_cast<int>(MessageType::kWarning)},
              {"message", trace->title + ": only the first " + ShareText(trace->share) +
                              " of the trace is shown: " + trace->not_read}});
    return false;
  }
  NotifyOurs("tasklens/traceGrew", messages::TraceGrew{TraceMessage(*trace), true});
  return true;
}

void Server::ShowReading(const std::string& id, double share) {
  const auto open = session_->Find(id);
  if (!open.ok() || (*open)->IsWhole() || !live_traces_.IsGrowing(id)) return;
  RestBeingRead& rest = rests_[id];
  if (!rest.call) {
    // The work has a call, though no client sent a request, so that it can be cancelled like one.
    rest.call = std::make_shared<Call>([](const Result<Call::Written>&, RpcError) {});
    rest.call->OnCancel([this, id] { live_traces_.StopReading(id); });
    // Clients recognize the work by this token; the number makes the token unique.
    rest.progress = BeginAs("rest-of/" + id + "/" + std::to_string(next_ask_), rest.call,
                            "Reading the rest of " + (*open)->title, true);
  }
  rest.progress->Report("reading", static_cast<int>(100 * share));
}

void Server::FindRunBefore(const std::shared_ptr<const OpenTrace>& trace) {
  loader_.Submit([this, trace, session = session_] {
    const auto before = FindEarlierRun(*trace, session->traces, *session->runs);
    queue_.Post([this, trace, before] {
      const auto open = session_->Find(trace->id);
      if (!before || !open.ok() || (*open)->model != trace->model) return;
      UpdateTrace(trace->id, [&](OpenTrace& changed) { changed.before = before; });
      TracesChanged();
    });
  });
}

void Server::UpdateTrace(const std::string& id, const std::function<void(OpenTrace&)>& change) {
  Update([&](Session& session) {
    for (auto& open : session.traces) {
      if (open->id != id) continue;
      auto changed = std::make_shared<OpenTrace>(*open);
      change(*changed);
      open = std::move(changed);
    }
  });
}

void Server::WorkOutInsights(const std::shared_ptr<const OpenTrace>& trace) {
  // A call without a request, so that the work has progress and can be cancelled or refused like
  // one.
  const auto call = std::make_shared<Call>([this, id = trace->id, title = trace->title](
                                               const Result<Call::Written>& result, RpcError) {
    if (result.ok() || state_ != State::kRunning) return;
    const std::string why = "no advice and no tables in hovers: " + result.status().message();
    UpdateTrace(id, [&](OpenTrace& open) { open.no_insights = why; });
    Notify("window/showMessage",
           {{"type", static_cast<int>(MessageType::kWarning)}, {"message", title + ": " + why}});
  });
  const auto work = underway_.Add(call, "Analysing " + trace->title);
  background_.Submit([this, model = trace->model, views = trace->views, id = trace->id, call, work,
                      session = session_]() mutable {
    work->MarkBegun();
    std::shared_ptr<const Insights> insights;
    if (!call->IsCancelled())
      insights = std::make_shared<const Insights>(*model, *views, call->stop());
    // Reads the sources now, so that the first hover is fast.
    if (!call->IsCancelled()) session->code->Look(session->Sources(), /*fresh=*/true, call->stop());
    session.reset();
    views.reset();
    if (call->IsCancelled()) {
      insights.reset();
      GiveMemoryBack();
    }
    queue_.Post([this, id, insights, call, work] {
      underway_.Remove(work);
      if (!insights) return;
      call->AnswerWritten(WrittenOut(nullptr));
      UpdateTrace(id, [&](OpenTrace& open) {
        open.insights = insights;
        open.no_insights.clear();
      });
      TracesChanged();
    });
  });
}

void Server::Beside(std::function<void()> work, std::function<void()> then) {
  long_pool_.Submit([this, work = std::move(work), then = std::move(then)] {
    work();
    queue_.Post(then);
  });
}

void Server::TracesChanged() {
  PublishAllAdvice();
  const auto ask = [this](std::string_view method) {
    Ask(method, json(), [](const Result<json>&) {});
  };
  if (client_.code_lens_refresh) ask("workspace/codeLens/refresh");
  if (client_.inlay_hint_refresh) ask("workspace/inlayHint/refresh");
}

}  // namespace tasklens
