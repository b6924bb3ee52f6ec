// SPDX-License-Identifier: Apache-2.0
// tasklens/stats: what each submission site cost, or codelet, worker, state, the costliest first.
#include <algorithm>
#include <span>

#include "analysis/statistics.h"
#include "server/answers/answers.h"
#include "server/handlers/columns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace, by;
  uint32_t limit = 1000;
  bool internal = false;
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("by", by);
    fields.Optional("limit", limit);
    fields.Optional("internal", internal);
    if (internal && by.empty()) fields.Fail("internal", "needs by");
    if (!by.empty() && !ParseStatisticsBy(by))
      fields.Fail("by", "is codelet, site, worker, kind or state, not '" + by + "'");
  }
};

Result<json> Groups(const OpenTrace& trace, const Params& params, const Call& call) {
  const StatisticsBy by = *ParseStatisticsBy(params.by);
  const auto rows = trace.views->StatisticsOf(by, params.internal, call.stop());
  if (!rows) return Cancelled();
  const auto shown = std::span(*rows).first(std::min<size_t>(rows->size(), params.limit));
  json answer = CamelCase(StatisticsAnswer(*trace.model, by, shown));
  answer["trace"] = trace.id;
  answer["count"] = rows->size();
  return answer;
}

Result<json> Stats(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (!params.by.empty()) return Groups(**trace, params, call);
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
const RequestSpec kStatsRequest = LongRequest<&Stats>("tasklens/stats");

}  // namespace tasklens
