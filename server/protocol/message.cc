// SPDX-License-Identifier: Apache-2.0
// Reads and writes JSON-RPC envelopes.
#include "server/protocol/message.h"

#include "trace/support/printable.h"

namespace tasklens {
namespace {

constexpr int kMaxDepth = 100;

// Strings also come from traces and programs; invalid UTF-8 becomes U+FFFD.
std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool IsId(const json& id) { return id.is_string() || id.is_number_integer(); }

// The id to answer with, if the message has one.
json IdOf(const json& object) {
  const auto it = object.find("id");
  return it != object.end() && IsId(*it) ? *it : json();
}

// Returns "" for a valid message, else what is wrong with it.
std::string FindDefect(const json& object) {
  const auto version = object.find("jsonrpc");
  if (version == object.end() || *version != "2.0") return "\"jsonrpc\" must be \"2.0\"";
  const auto id = object.find("id");
  const auto method = object.find("method");
  if (method == object.end()) {
    if (id == object.end()) return "neither \"method\" nor \"id\"";
    if (!IsId(*id) && !id->is_null()) return "\"id\" must be a string or an integer";
    if (object.contains("result") == object.contains("error"))
      return "a response has either \"result\" or \"error\"";
    return "";
  }
  if (!method->is_string()) return "\"method\" must be a string";
  if (id != object.end() && !IsId(*id)) return "\"id\" must be a string or an integer";
  const auto params = object.find("params");
  if (params != object.end() && !params->is_structured() && !params->is_null())
    return "\"params\" must be an object or an array";
  return "";
}

json Take(json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? json() : std::move(*it);
}

}  // namespace

bool ParseRpc(std::string_view text, RpcMessage& message, RpcFailure& failure) {
  bool too_deep = false;
  json object;
  try {
    object = json::parse(text, [&](int depth, json::parse_event_t, json&) {
      too_deep |= depth > kMaxDepth;
      return !too_deep;
    });
  } catch (const json::exception& e) {
    if (!too_deep) {
      failure = {json(), RpcError::kParseError, std::string("not JSON: ") + e.what()};
      return false;
    }
  }
  if (too_deep) {
    failure = {json(), RpcError::kParseError,
               "nested deeper than " + std::to_string(kMaxDepth) + " levels"};
    return false;
  }
  if (object.is_array()) {
    failure = {json(), RpcError::kInvalidRequest,
               "batches are not part of the language server protocol; send one message at a time"};
    return false;
  }
  if (!object.is_object()) {
    failure = {json(), RpcError::kInvalidRequest, "a message must be an object"};
    return false;
  }
  if (std::string defect = FindDefect(object); !defect.empty()) {
    failure = {IdOf(object), RpcError::kInvalidRequest, std::move(defect)};
    return false;
  }
  message.id = Take(object, "id");
  message.params = Take(object, "params");
  message.result = Take(object, "result");
  message.error = Take(object, "error");
  message.method.clear();
  if (const auto it = object.find("method"); it != object.end()) {
    message.method = it->get<std::string>();
    message.kind =
        message.id.is_null() ? RpcMessage::Kind::kNotification : RpcMessage::Kind::kRequest;
  } else {
    message.kind = RpcMessage::Kind::kResponse;
  }
  return true;
}

std::string RequestText(int64_t id, std::string_view method, json params) {
  json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null()) message["params"] = std::move(params);
  return Dump(message);
}

std::string NotificationText(std::string_view method, json params) {
  return Dump({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::string ResultText(const json& id, json result) {
  return Dump({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

// Produces one line, whatever characters `message` contains.
std::string ErrorText(const json& id, RpcError code, std::string_view message) {
  return Dump({{"jsonrpc", "2.0"},
               {"id", id},
               {"error", {{"code", static_cast<int>(code)}, {"message", Printable(message)}}}});
}

RpcError RpcErrorOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return RpcError::kInvalidParams;
    case ErrorCode::kCancelled: return RpcError::kRequestCancelled;
    case ErrorCode::kOk:
    case ErrorCode::kInternal: return RpcError::kInternalError;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnsupported:
    case ErrorCode::kCorrupt:
    case ErrorCode::kIo: return RpcError::kRequestFailed;
  }
  return RpcError::kInternalError;
}

}  // namespace tasklens
