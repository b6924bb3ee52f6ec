// SPDX-License-Identifier: Apache-2.0
// tasklens/bound: how short the run could have been, and where the time went instead.
#include "analysis/efficiency.h"
#include "server/answers/answers.h"
#include "server/handlers/columns.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  void Visit(Fields& fields) { fields.Optional("trace", trace); }
};

Result<json> Bound(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.FindWhole(params.trace);
  if (!trace.ok()) return trace.status();
  const auto bounds = (*trace)->views->LowerBounds(call.stop());
  const auto idleness = (*trace)->views->Idleness(call.stop());
  if (!bounds || !idleness || call.IsCancelled()) return Cancelled();
  const TraceModel& model = *(*trace)->model;
  nlohmann::ordered_json answer = BoundsAnswer(model, *bounds);
  answer["efficiency_split"] = EfficiencyAnswer(model, SplitEfficiency(model, *idleness));
  json reply = CamelCase(answer);
  reply["trace"] = (*trace)->id;
  return reply;
}

}  // namespace

extern const RequestSpec kBoundRequest;
const RequestSpec kBoundRequest = LongRequest<&Bound>("tasklens/bound");

}  // namespace tasklens
