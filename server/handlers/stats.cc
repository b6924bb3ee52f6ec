// SPDX-License-Identifier: Apache-2.0
// tasklens/stats: what each submission site cost, the costliest first.
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  uint32_t limit = 1000;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("limit", limit);
  }
};

Result<json> Stats(const Session& session, const Params& params, const Call&) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  json sites = json::array();
  for (const SiteCost& cost : (*trace)->costs) {
    if (sites.size() >= params.limit) break;
    sites.push_back(CostJson(session, **trace, cost));
  }
  json reply = TraceJson(**trace);
  reply["count"] = (*trace)->costs.size();
  reply["costs"] = std::move(sites);
  return reply;
}

}  // namespace

extern const RequestSpec kStatsRequest;
const RequestSpec kStatsRequest = Request<&Stats>("tasklens/stats");

}  // namespace tasklens
