// SPDX-License-Identifier: Apache-2.0
// tasklens/stats: what each submission site cost, or codelet, worker, state, the costliest first.
#include <memory>
#include <optional>

#include "analysis/idle.h"
#include "analysis/statistics.h"
#include "server/answers/answers.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::StatsAnswer, messages::StatsParams;

// Checks for parameters with invalid values, or without another that they need.
Status CheckParams(const StatsParams& params) {
  const auto refuse = [](std::string text) {
    return Status(ErrorCode::kInvalidArgument, "params." + std::move(text));
  };
  const bool has_stretch = params.from_ns && params.to_ns;
  if (params.from_ns.has_value() != params.to_ns.has_value())
    return refuse((params.from_ns ? "toNs" : "fromNs") +
                  std::string(" is missing: a stretch has both"));
  if (has_stretch && (*params.from_ns < 0 || *params.from_ns >= *params.to_ns))
    return refuse("fromNs must be at least 0 and before toNs");
  if (has_stretch && params.by.empty()) return refuse("fromNs needs by");
  if (params.internal && params.by.empty()) return refuse("internal needs by");
  return Status::Ok();
}

Result<StatsAnswer> Groups(const OpenTrace& trace, const StatsParams& params, const Call& call) {
  const StatisticsBy by = *ParseStatisticsBy(params.by);
  std::optional<Span> stretch;
  if (params.from_ns) stretch = Span{*params.from_ns, *params.to_ns};
  // Statistics of an interval are not cached: the next request will have another interval.
  const auto rows = stretch ? std::make_shared<const std::vector<StatisticsRow>>(Statistics(
                                  *trace.model, by, call.stop(), params.internal, stretch))
                            : trace.views->StatisticsOf(by, params.internal, call.stop());
  if (!rows || call.IsCancelled()) return Cancelled();
  messages::Groups answer{.trace = trace.id};
  SetGroups(*trace.model, by, *rows, params.limit, stretch, answer);
  if (!stretch) return StatsAnswer(std::move(answer));
  const auto idle = trace.views->Idleness(call.stop());
  if (!idle) return Cancelled();
  answer.times_ns = TimesByCause(TimeWithin(*idle, *stretch));
  return StatsAnswer(std::move(answer));
}

Result<StatsAnswer> Stats(const Session& session, const StatsParams& params, const Call& call) {
  if (Status s = CheckParams(params); !s.ok()) return s;
  const auto trace = session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  if (!params.by.empty()) return Groups(**trace, params, call);
  messages::Costs answer{TraceMessage(**trace), (*trace)->costs.size()};
  for (const SiteCost& cost : (*trace)->costs) {
    if (answer.costs.size() >= params.limit) break;
    answer.costs.push_back(CostMessage(session, **trace, cost));
  }
  return StatsAnswer(std::move(answer));
}

}  // namespace

extern const RequestSpec kStatsRequest = LongRequest<&Stats>("tasklens/stats");

}  // namespace tasklens
