// SPDX-License-Identifier: Apache-2.0
// Maps HTTP requests to the table of requests.
#include "server/http/view_service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/http/byte_answer.h"
#include "server/protocol/parse_json.h"
#include "server/report/report_page.h"
#include "server/session/memory.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kBytes = "application/octet-stream";

HttpReply JsonReply(const json& answer) {
  return {.content_type = kJson,
          .body = answer.dump(-1, ' ', false, json::error_handler_t::replace)};
}

HttpReply ErrorReply(RpcError code, const std::string& message) {
  return JsonReply({{"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
}

HttpReply Refusal(int status, std::string text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = text + "\n"};
}

// Returns the location of a task or site. There is no editor to open it in.
Result<messages::RevealAnswer> Reveal(const Session& session, const messages::RevealParams& params,
                                      const Call&) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  uint32_t site = params.site.value_or(kNone);
  if (params.task) {
    if (Status s = CheckTask(**trace, *params.task); !s.ok()) return s;
    site = (*trace)->model->tasks.site[*params.task];
  }
  const Result<Location> location = LocateSite(session, **trace, site);
  if (!location.ok()) return location.status();
  return messages::RevealAnswer{.location = location->Message()};
}
constexpr RequestSpec kReveal = Request<&Reveal>("tasklens/reveal");

const RequestSpec* Find(std::string_view method) {
  if (method == kReveal.method) return &kReveal;
  for (const RequestSpec* spec : Requests())
    if (spec->method == method && method.starts_with(kMethodPrefix)) return spec;
  return nullptr;
}

}  // namespace

ViewService::ViewService(Session session, End on_end)
    : on_end_(std::move(on_end)),
      session_(std::make_shared<const Session>(std::move(session))),
      trace_server_(
          {.add =
               [this](std::shared_ptr<const OpenTrace> trace) {
                 queue_.Post([this, trace = std::move(trace)] {
                   // Inserted before the others, because the page shows the newest, which is the
                   // last.
                   Update([&](Session& s) { s.traces.insert(s.traces.begin(), trace); });
                   live_traces_.Follow(trace, /*may_run_git=*/false);
                 });
               },
           .is_growing = [this](const std::string& id) { return live_traces_.IsGrowing(id); },
           .remove =
               [this](std::string id) {
                 queue_.Post([this, id = std::move(id)] {
                   Update([&](Session& s) {
                     std::erase_if(s.traces, [&](const auto& trace) { return trace->id == id; });
                   });
                 });
               }}),
      underway_({.limit_bytes = [this] { return session_->settings->MemoryLimitBytes(); },
                 .limit_name = kLimitOption,
                 .show = nullptr,
                 .give_back = [this] { Update([](Session& s) { s.DropViews(); }); }}),
      live_traces_(queue_, [this](std::shared_ptr<const OpenTrace> trace, bool is_growing) {
        return OnGrown(std::move(trace), is_growing);
      }) {
  live_traces_.SetHow({.roots = session_->roots,
                       .memory_limit_bytes = session_->settings->MemoryLimitBytes(),
                       .limit_name = kLimitOption});
  for (const auto& trace : session_->traces) live_traces_.Follow(trace, /*may_run_git=*/true);
}

HttpServer::Gone ViewService::Handle(const HttpRequest& request, HttpServer::Answer answer) {
  const std::string_view path = request.path;
  const auto refuse = [&](int status, std::string text) {
    answer(Refusal(status, std::move(text)));
    return nullptr;
  };
  if (path.empty()) {
    if (request.method != "GET") return refuse(405, "the page must be requested with GET");
    answer({.content_type = "text/html; charset=utf-8", .body = ServedPage()});
    return nullptr;
  }
  if (path.starts_with(HttpServer::kOpenPath)) return AskTraceServer(request, std::move(answer));
  if (constexpr std::string_view kChanges = "changes/"; path.starts_with(kChanges)) {
    if (request.method != "GET") return refuse(405, "changes must be requested with GET");
    uint64_t after = 0;
    if (!ReadNumber(path.substr(kChanges.size()), after)) return refuse(404, "not found");
    return WaitForChange(after, std::move(answer));
  }
  if (path != "request") return refuse(404, "not found");
  if (request.method != "POST") return refuse(405, "a request must be sent with POST");
  // A foreign page can send plain text without a CORS preflight, but not JSON.
  if (request.content_type != kJson) return refuse(415, "a request must be application/json");
  return Run(request.body, std::move(answer));
}

HttpServer::Gone ViewService::Run(const std::string& body, HttpServer::Answer answer) {
  const json message = ParseJson(body);
  const auto refuse = [&](RpcError code, const std::string& text) {
    answer(ErrorReply(code, text));
    return nullptr;
  };
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string())
    return refuse(RpcError::kParseError, "a request must be an object with a method");
  const std::string method = message["method"].get<std::string>();
  const RequestSpec* const spec = Find(method);
  if (spec == nullptr)
    return refuse(RpcError::kMethodNotFound, "this page cannot request " + method);
  const bool in_bytes = message.value("columns", json()) == "bytes";
  return RunOnPool(
      TitleOfMethod(method), std::move(answer),
      [spec, in_bytes, params = message.value("params", json::object())](const Session& session,
                                                                         const Call& call) {
        Result<json> result = spec->Handle(session, params, call);
        if (!result.ok()) return ErrorReply(RpcError::kRequestFailed, result.status().message());
        if (!in_bytes) return JsonReply({{"result", *result}});
        return HttpReply{.content_type = kBytes, .body = ByteAnswer(*std::move(result))};
      },
      [](const std::string& why) { return ErrorReply(RpcError::kRequestFailed, why); });
}

HttpServer::Gone ViewService::AskTraceServer(const HttpRequest& request,
                                             HttpServer::Answer answer) {
  return RunOnPool(
      "this answer", std::move(answer),
      [this, request](const Session& session, const Call& call) {
        const TraceServer::Reply reply =
            trace_server_.Answer(request.method, request.path.substr(HttpServer::kOpenPath.size()),
                                 request.body, session, call.stop());
        HttpReply text = JsonReply(reply.body);
        text.status = reply.status;
        return text;
      },
      [](const std::string& why) {
        HttpReply text = JsonReply({{"title", "Internal Server Error"}, {"detail", why}});
        text.status = 500;
        return text;
      });
}

HttpServer::Gone ViewService::RunOnPool(std::string title, HttpServer::Answer answer, Work work,
                                        Refused refused) {
  // The work answers the call, unless it is refused before.
  const auto call =
      std::make_shared<Call>([answer, refused](const Result<Call::Written>& result, RpcError) {
        if (!result.ok()) answer(refused(result.status().message()));
      });
  const auto underway = underway_.Add(call, std::move(title));
  pool_.Submit([this, call, underway, session = session_, answer, work = std::move(work),
                refused = std::move(refused)]() mutable {
    underway->MarkBegun();
    HttpReply reply;
    try {
      if (!call->IsCancelled()) reply = work(*session, *call);
    } catch (const std::exception& e) {
      reply = refused(std::string("defect in the server: ") + e.what());
    }
    session.reset();
    const bool is_refused = call->IsRefused();
    if (is_refused) GiveMemoryBack();
    queue_.Post([this, call, underway, answer, is_refused, reply = std::move(reply)] {
      underway_.Remove(underway);
      if (call->IsRefused() && !is_refused) pool_.Submit(&GiveMemoryBack);
      if (call->IsAnswered()) return;
      call->AnswerWritten({});
      answer(reply);
    });
  });
  return [call] { call->Cancel(); };
}

bool ViewService::IsGrowing() const {
  return std::any_of(session_->traces.begin(), session_->traces.end(),
                     [&](const auto& trace) { return live_traces_.IsGrowing(trace->id); });
}

HttpReply ViewService::Changes() const {
  return JsonReply({{"version", version_}, {"growing", IsGrowing()}});
}

HttpServer::Gone ViewService::WaitForChange(uint64_t after, HttpServer::Answer answer) {
  if (version_ > after || !IsGrowing()) {
    answer(Changes());
    return nullptr;
  }
  const uint64_t number = next_waiting_++;
  waiting_[number] = std::move(answer);
  return [this, number] { waiting_.erase(number); };
}

void ViewService::Update(const std::function<void(Session&)>& change) {
  auto session = std::make_shared<Session>(*session_);
  change(*session);
  session_ = std::move(session);
  live_traces_.KeepOnly(session_->traces);
}

bool ViewService::OnGrown(std::shared_ptr<const OpenTrace> trace, bool is_growing) {
  bool is_open = false;
  Update([&](Session& session) {
    for (auto& open : session.traces) {
      if (open->id != trace->id) continue;
      open = trace;
      is_open = true;
    }
  });
  ++version_;
  for (const auto& [number, answer] : std::exchange(waiting_, {})) answer(Changes());
  if (is_open && !is_growing && on_end_) on_end_(*trace);
  return is_open;
}

}  // namespace tasklens
