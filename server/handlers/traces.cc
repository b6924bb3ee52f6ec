// SPDX-License-Identifier: Apache-2.0
// tasklens/traces: what is open, the newest first.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  void Visit(Fields&) {}
};

Result<json> Traces(const Session& session, const Params&, const Call&) {
  json traces = json::array();
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it)
    traces.push_back(TraceJson(**it));
  return json{{"traces", std::move(traces)}};
}

}  // namespace

extern const RequestSpec kTracesRequest;
const RequestSpec kTracesRequest = Request<&Traces>("tasklens/traces");

}  // namespace tasklens
