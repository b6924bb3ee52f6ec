// SPDX-License-Identifier: Apache-2.0
// tasklens/closeTrace: removes a trace from the session. Requests that use it at the moment finish
// undisturbed.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

void CloseTrace(Host& host, const messages::CloseTraceParams& params,
                const std::shared_ptr<Call>& call) {
  const auto trace = host.session()->Find(params.trace);
  if (!trace.ok()) return call->Answer(trace.status());
  host.Update([&](Session& session) { std::erase(session.traces, *trace); });
  host.TracesChanged();
  call->Answer(messages::CloseTraceAnswer());
}

}  // namespace

extern const ActionSpec kCloseTraceAction = Action<&CloseTrace>("tasklens/closeTrace");

}  // namespace tasklens
