// SPDX-License-Identifier: Apache-2.0
// Parameters of requests from JSON, checked as server/protocol/fields.h says. Members that a
// request does not have are refused: an option that is neglected in silence gives a wrong answer.
//
// Threads: pure functions.
#pragma once

#include "server/messages/members.h"
#include "server/protocol/fields.h"

namespace tasklens::messages {

template <class Message>
requires requires { Members<Message>::kShape; }
void VisitMembers(Fields& fields, Message& message) { Members<Message>::Visit(fields, message); }

// Fails for a member of `raw` that is neither of `known` nor one that LSP has in all requests.
Status RefuseOthers(const json& raw, const std::vector<ParameterName>& known);

template <class Params>
Status ReadMembers(const json& raw, Params& params) {
  Fields fields = Fields::OfParameters(raw);
  VisitMembers(fields, params);
  return fields.status().ok() ? RefuseOthers(raw, fields.names()) : fields.status();
}

}  // namespace tasklens::messages
