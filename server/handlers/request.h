// SPDX-License-Identifier: Apache-2.0
// What a request of ours is: one constant per file of handlers/, one line in requests.inc.
//
// A REQUEST is a plain function of an immutable session; it runs on the pool. An ACTION changes
// the session, starts programs or speaks to the client; it runs on the main thread and answers
// when it is done. Both take a struct of parameters with Visit(Fields&) (see fields.h). Each
// `tasklens/NAME` is also the command `tasklens.NAME` of workspace/executeCommand, its parameters
// being the command's one argument.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "server/protocol/fields.h"
#include "server/session/host.h"

namespace tasklens {

struct RequestSpec {
  std::string_view method;
  Result<json> (*handle)(const Session&, const json& params, const Call&);
  std::vector<Fields::Name> (*fields)();
  // May take seconds of a large trace, so it does not stand in the way of those that somebody waits
  // for while he looks around.
  bool is_long = false;
};

struct ActionSpec {
  std::string_view method;
  // Answers `call` now or later.
  void (*start)(Host&, const json& params, const std::shared_ptr<Call>& call);
  std::vector<Fields::Name> (*fields)();
};

// The tables of requests.inc, in its order.
const std::vector<const RequestSpec*>& Requests();
const std::vector<const ActionSpec*>& Actions();

template <class Params>
std::vector<Fields::Name> FieldsOf() {
  Fields fields;
  Params params;
  params.Visit(fields);
  return fields.names();
}

// Parameters may be missing altogether when all are optional.
template <class Params>
Result<Params> ReadParams(const json& raw) {
  static const json kEmpty = json::object();
  Fields fields(raw.is_null() ? kEmpty : raw, "params");
  Params params;
  params.Visit(fields);
  if (!fields.status().ok()) return fields.status();
  return params;
}

template <auto Handler>
struct TypedHandler;

// Requests answer with a struct that has ToJson(), or with json itself.
template <class Params, class Reply,
          Result<Reply> (*Handler)(const Session&, const Params&, const Call&)>
struct TypedHandler<Handler> {
  static Result<json> Handle(const Session& session, const json& raw, const Call& call) {
    Result<Params> params = ReadParams<Params>(raw);
    if (!params.ok()) return params.status();
    Result<Reply> reply = Handler(session, *params, call);
    if (!reply.ok()) return reply.status();
    if constexpr (std::is_same_v<Reply, json>) {
      return std::move(*reply);
    } else {
      return reply->ToJson();
    }
  }
  static constexpr auto kFields = &FieldsOf<Params>;
};

template <class Params, void (*Handler)(Host&, const Params&, const std::shared_ptr<Call>&)>
struct TypedHandler<Handler> {
  static void Start(Host& host, const json& raw, const std::shared_ptr<Call>& call) {
    Result<Params> params = ReadParams<Params>(raw);
    if (!params.ok()) return call->Answer(params.status());
    Handler(host, *params, call);
  }
  static constexpr auto kFields = &FieldsOf<Params>;
};

template <auto Handler>
constexpr RequestSpec Request(std::string_view method) {
  return {method, &TypedHandler<Handler>::Handle, TypedHandler<Handler>::kFields};
}
template <auto Handler>
constexpr RequestSpec LongRequest(std::string_view method) {
  return {method, &TypedHandler<Handler>::Handle, TypedHandler<Handler>::kFields, true};
}
template <auto Handler>
constexpr ActionSpec Action(std::string_view method) {
  return {method, &TypedHandler<Handler>::Start, TypedHandler<Handler>::kFields};
}

}  // namespace tasklens
