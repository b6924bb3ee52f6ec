// SPDX-License-Identifier: Apache-2.0
// tasklens/traces: the open traces, the newest first.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::TracesAnswer, messages::TracesParams;

Result<TracesAnswer> Traces(const Session& session, const TracesParams&, const Call&) {
  TracesAnswer answer;
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it)
    answer.traces.push_back(TraceMessage(**it));
  return answer;
}

}  // namespace

extern const RequestSpec kTracesRequest = Request<&Traces>("tasklens/traces");

}  // namespace tasklens
