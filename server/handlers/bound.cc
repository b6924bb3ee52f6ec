// SPDX-License-Identifier: Apache-2.0
// tasklens/bound: lower bounds of the run's length, and where the rest of the time went.
#include "analysis/efficiency.h"
#include "server/answers/answers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::BoundAnswer, messages::BoundParams;

Result<BoundAnswer> Bound(const Session& session, const BoundParams& params, const Call& call) {
  const auto trace = session.FindWhole(params.trace);
  if (!trace.ok()) return trace.status();
  const auto bounds = (*trace)->views->LowerBounds(call.stop());
  const auto idleness = (*trace)->views->Idleness(call.stop());
  if (!bounds || !idleness || call.IsCancelled()) return Cancelled();
  const TraceModel& model = *(*trace)->model;
  return BoundAnswer{BoundMessage(model, *bounds, SplitEfficiency(model, *idleness)), (*trace)->id};
}

}  // namespace

extern const RequestSpec kBoundRequest = LongRequest<&Bound>("tasklens/bound");

}  // namespace tasklens
