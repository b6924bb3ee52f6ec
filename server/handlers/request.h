// SPDX-License-Identifier: Apache-2.0
// Definition of a request: one constant per file of handlers/, one line in requests.inc.
//
// A REQUEST is a pure function of an immutable session; it runs on the pool. An ACTION changes the
// session, starts programs or talks to the client; it runs on the main thread and may answer later.
// Each method `tasklens/NAME` is also the command `tasklens.NAME` of workspace/executeCommand; the
// command's only argument is the object of parameters.
//
// The parameters and answers of `tasklens/...` are structs of server/messages/messages.h, so these
// handlers do not use JSON. LSP requests have a parameter struct with Visit(Fields&) (see fields.h)
// and answer in JSON.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "server/protocol/conversion.h"
#include "server/session/host.h"

namespace tasklens {

struct RequestSpec {
  std::string_view method;
  Status (*answer)(const Session&, const json& params, const Call&, json& out);
  std::vector<ParameterName> (*fields)();
  // The request may take seconds for a large trace. It runs on a pool of its own, so that it does
  // not delay the requests of a user who is browsing.
  bool is_long = false;

  Result<json> Handle(const Session& session, const json& params, const Call& call) const;
};

struct ActionSpec {
  std::string_view method;
  // Answers `call` now or later.
  void (*start)(Host&, const json& params, const std::shared_ptr<Call>& call);
  std::vector<ParameterName> (*fields)();
};

// The rows of requests.inc, in that order.
const std::vector<const RequestSpec*>& Requests();
const std::vector<const ActionSpec*>& Actions();

template <class Params>
std::vector<ParameterName> FieldsOf() {
  return NamesOf(Params());
}

template <auto Handler>
struct TypedHandler;

template <class Params, class Reply,
          Result<Reply> (*Handler)(const Session&, const Params&, const Call&)>
struct TypedHandler<Handler> {
  static Status Answer(const Session& session, const json& raw, const Call& call, json& out) {
    Params params;
    if (Status s = Read(raw, params); !s.ok()) return s;
    Result<Reply> reply = Handler(session, params, call);
    if (!reply.ok()) return reply.status();
    Write(*std::move(reply), out);
    return Status::Ok();
  }
  static constexpr auto kFields = &FieldsOf<Params>;
};

template <class Params, void (*Handler)(Host&, const Params&, const std::shared_ptr<Call>&)>
struct TypedHandler<Handler> {
  static void Start(Host& host, const json& raw, const std::shared_ptr<Call>& call) {
    Params params;
    if (Status s = Read(raw, params); !s.ok()) return call->Answer(s);
    Handler(host, params, call);
  }
  static constexpr auto kFields = &FieldsOf<Params>;
};

template <auto Handler>
constexpr RequestSpec Request(std::string_view method) {
  return {method, &TypedHandler<Handler>::Answer, TypedHandler<Handler>::kFields};
}
template <auto Handler>
constexpr RequestSpec LongRequest(std::string_view method) {
  return {method, &TypedHandler<Handler>::Answer, TypedHandler<Handler>::kFields, true};
}
template <auto Handler>
constexpr ActionSpec Action(std::string_view method) {
  return {method, &TypedHandler<Handler>::Start, TypedHandler<Handler>::kFields};
}

}  // namespace tasklens
