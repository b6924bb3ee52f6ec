// SPDX-License-Identifier: Apache-2.0
// From HTTP to the table of requests.
#include "server/http/view_service.h"

#include <string>
#include <utility>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/report/report_page.h"

namespace tasklens {
namespace {

constexpr const char* kJson = "application/json";

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

struct RevealParams {
  std::string trace;
  uint32_t task = kNone, site = kNone;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("task", task);
    fields.Optional("site", site);
  }
};

// Where a task or a site is. There is no editor here that could be asked to show it.
Result<json> Reveal(const Session& session, const json& raw, const Call&) {
  const Result<RevealParams> params = ReadParams<RevealParams>(raw);
  if (!params.ok()) return params.status();
  const auto trace = session.Find(params->trace);
  if (!trace.ok()) return trace.status();
  uint32_t site = params->site;
  if (params->task != kNone) {
    if (Status s = CheckTask(**trace, params->task); !s.ok()) return s;
    site = (*trace)->model->tasks.site[params->task];
  }
  const Result<Location> location = LocateSite(session, **trace, site);
  if (!location.ok()) return location.status();
  return json{{"location", location->ToJson()}, {"shown", false}};
}

using Handle = Result<json> (*)(const Session&, const json&, const Call&);

Handle Find(std::string_view method) {
  if (method == "tasklens/reveal") return &Reveal;
  for (const RequestSpec* spec : Requests())
    if (spec->method == method && method.starts_with(kMethodPrefix)) return spec->handle;
  return nullptr;
}

}  // namespace

ViewService::ViewService(Session session)
    : session_(std::make_shared<const Session>(std::move(session))) {}

void ViewService::Handle(const HttpRequest& request, HttpServer::Answer answer) {
  if (request.path.empty()) {
    if (request.method != "GET") return answer(Refusal(405, "the page is for GET"));
    return answer({.content_type = "text/html; charset=utf-8", .body = ServedPage()});
  }
  if (request.path != "request") return answer(Refusal(404, "nothing is here"));
  if (request.method != "POST") return answer(Refusal(405, "a request comes by POST"));
  // A foreign page could send text without asking first, but not JSON.
  if (request.content_type != kJson) return answer(Refusal(415, "a request is application/json"));
  Run(request.body, std::move(answer));
}

void ViewService::Run(const std::string& body, HttpServer::Answer answer) {
  const json message = json::parse(body, nullptr, false);
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string())
    return answer(ErrorReply(RpcError::kParseError, "a request is an object with a method"));
  const std::string method = message["method"].get<std::string>();
  const tasklens::Handle handle = Find(method);
  if (handle == nullptr)
    return answer(ErrorReply(RpcError::kMethodNotFound, "this page cannot ask for " + method));
  pool_.Submit([this, handle, session = session_, answer = std::move(answer),
                params = message.value("params", json::object())] {
    HttpReply reply;
    try {
      const Call call([](Result<json>, RpcError) {}, nullptr);
      const Result<json> result = handle(*session, params, call);
      reply = result.ok() ? JsonReply({{"result", *result}})
                          : ErrorReply(RpcError::kRequestFailed, result.status().message());
    } catch (const std::exception& e) {
      reply =
          ErrorReply(RpcError::kInternalError, std::string("defect in the server: ") + e.what());
    }
    queue_.Post([answer, reply = std::move(reply)] { answer(reply); });
  });
}

}  // namespace tasklens
