// SPDX-License-Identifier: Apache-2.0
// tasklens/stats: what each submission site cost, or codelet, worker, state, the costliest first.
#include <algorithm>
#include <memory>
#include <optional>
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
  int64_t from_ns = kNever, to_ns = kNever;  // the stretch; both kNever: the whole run
  bool HasStretch() const { return from_ns != kNever && to_ns != kNever; }
  void Visit(Fields& fields) {
    fields.Optional("trace", trace);
    fields.Optional("by", by);
    fields.Optional("limit", limit);
    fields.Optional("internal", internal);
    fields.Optional("fromNs", from_ns);
    fields.Optional("toNs", to_ns);
    if ((from_ns == kNever) != (to_ns == kNever))
      fields.Fail(from_ns == kNever ? "fromNs" : "toNs", "is missing: a stretch has both");
    if (HasStretch() && (from_ns < 0 || from_ns >= to_ns))
      fields.Fail("fromNs", "must be at least 0 and before toNs");
    if (HasStretch() && by.empty()) fields.Fail("fromNs", "needs by");
    if (internal && by.empty()) fields.Fail("internal", "needs by");
    if (!by.empty() && !ParseStatisticsBy(by))
      fields.Fail("by", "is codelet, site, worker, kind, size or state, not '" + by + "'");
  }
};

Result<json> Groups(const OpenTrace& trace, const Params& params, const Call& call) {
  const StatisticsBy by = *ParseStatisticsBy(params.by);
  std::optional<Span> stretch;
  if (params.HasStretch()) stretch = Span{params.from_ns, params.to_ns};
  // Of a stretch they are not kept: the next one asked for is another.
  const auto rows = stretch ? std::make_shared<const std::vector<StatisticsRow>>(Statistics(
                                  *trace.model, by, call.stop(), params.internal, stretch))
                            : trace.views->StatisticsOf(by, params.internal, call.stop());
  if (!rows || call.IsCancelled()) return Cancelled();
  const auto shown = std::span(*rows).first(std::min<size_t>(rows->size(), params.limit));
  json answer = CamelCase(StatisticsAnswer(*trace.model, by, shown));
  answer["trace"] = trace.id;
  answer["count"] = rows->size();
  if (!stretch) return answer;
  const auto idle = trace.views->Idleness(call.stop());
  if (!idle) return Cancelled();
  answer["fromNs"] = stretch->begin_ns;
  answer["toNs"] = stretch->end_ns;
  answer["timesNs"] = StretchTimeAnswer(TimeWithin(*idle, *stretch));
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
