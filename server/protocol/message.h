// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0: the envelope of a message, and the one place that assigns the numbers of errors.
//
// Threads: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "trace/support/status.h"

namespace tasklens {

using json = nlohmann::json;

enum class RpcError {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kServerNotInitialized = -32002,
  kRequestFailed = -32803,
  kContentModified = -32801,
  kRequestCancelled = -32800,
};

// A message that was received. A request has an id, a notification has none; a response has no
// method.
struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind;
  json id;  // number or string; null in a response to something unreadable
  std::string method;
  json params;  // object, array or null
  json result;  // responses only
  json error;   // responses only; null on success
};

struct RpcFailure {
  json id;  // of the message that failed, if it could be read; else null
  RpcError code;
  std::string message;
};

// Parses one message. On failure fills `failure` and returns false. The nesting is limited, so that
// no message can exhaust the stack.
bool ParseRpc(std::string_view text, RpcMessage& message, RpcFailure& failure);

std::string RequestText(int64_t id, std::string_view method, json params);
std::string NotificationText(std::string_view method, json params);
std::string ResultText(const json& id, json result);
std::string ErrorText(const json& id, RpcError code, std::string_view message);

// The JSON-RPC error number of an ErrorCode.
RpcError RpcErrorOf(ErrorCode code);

}  // namespace tasklens
