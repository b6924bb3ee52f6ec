// SPDX-License-Identifier: Apache-2.0
// tasklens/stats: what each submission site cost, or codelet, worker, state, the costliest first.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "analysis/idle.h"
#include "analysis/statistics.h"
#include "server/answers/whole_ns.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/handlers/task_marks.h"

namespace tasklens {
namespace {

using messages::StatsAnswer, messages::StatsParams;

// What a member must be that is not, or that stands without another.
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

messages::Statistics GroupOf(const TraceModel& model, StatisticsBy by, const StatisticsRow& row) {
  const DurationSummary& durations = row.durations;
  const auto& q = durations.quantile_ns;
  messages::Statistics group{{.count = durations.count,
                              .total_ns = row.total_ns,
                              .mean_ns = WholeNs(durations.mean_ns),
                              .stddev_ns = WholeNs(durations.stddev_ns),
                              .min_ns = durations.min_ns,
                              .median_ns = durations.median_ns(),
                              .max_ns = durations.max_ns,
                              .quantiles_ns = {q[0], q[1], q[2], q[3], q[4]}},
                             std::string(StatisticsLabel(model, by, row.key)),
                             row.tasks};
  for (const HistogramBar& bar : durations.histogram)
    group.histogram.push_back({.low_ns = bar.low_ns, .high_ns = bar.high_ns, .count = bar.count});
  if (row.flops_ns > 0) group.gflops = row.GFlops();
  if (row.estimates.count > 0)
    group.estimates = {.count = row.estimates.count,
                       .measured_over_estimated = row.estimates.Bias(),
                       .mean_relative_error = row.estimates.mean_error};
  return group;
}

Result<StatsAnswer> Groups(const OpenTrace& trace, const StatsParams& params, const Call& call) {
  const StatisticsBy by = *ParseStatisticsBy(params.by);
  std::optional<Span> stretch;
  if (params.from_ns) stretch = Span{*params.from_ns, *params.to_ns};
  // Of a stretch they are not kept: the next one asked for is another.
  const auto rows = stretch ? std::make_shared<const std::vector<StatisticsRow>>(Statistics(
                                  *trace.model, by, call.stop(), params.internal, stretch))
                            : trace.views->StatisticsOf(by, params.internal, call.stop());
  if (!rows || call.IsCancelled()) return Cancelled();
  messages::Groups answer{.trace = trace.id,
                          .by = params.by,
                          .count = rows->size(),
                          .from_ns = params.from_ns,
                          .to_ns = params.to_ns};
  for (const StatisticsRow& row :
       std::span(*rows).first(std::min<size_t>(rows->size(), params.limit)))
    answer.groups.push_back(GroupOf(*trace.model, by, row));
  if (!stretch) return StatsAnswer(std::move(answer));
  const auto idle = trace.views->Idleness(call.stop());
  if (!idle) return Cancelled();
  const StretchTime time = TimeWithin(*idle, *stretch);
  answer.times_ns.emplace()["tasks"] = time.task_ns;
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    (*answer.times_ns)[std::string(IdleCauseName(static_cast<IdleCause>(cause)))] =
        time.cause_ns[cause];
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

extern const RequestSpec kStatsRequest;
const RequestSpec kStatsRequest = LongRequest<&Stats>("tasklens/stats");

}  // namespace tasklens
