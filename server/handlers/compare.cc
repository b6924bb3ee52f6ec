// SPDX-License-Identifier: Apache-2.0
// tasklens/compare: what takes more time beyond noise, through more tasks or longer ones.
#include "analysis/compare.h"

#include "server/answers/answers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::CompareAnswer, messages::CompareParams;

Result<CompareAnswer> CompareRuns(const Session& session, const CompareParams& params,
                                  const Call& call) {
  if (params.traces.size() < 2)
    return Status(ErrorCode::kInvalidArgument,
                  "params.traces must name at least two traces, the one to compare with first");
  const StatisticsBy by = *ParseStatisticsBy(params.by);
  const auto before = session.FindWhole(params.traces.front());
  if (!before.ok()) return before.status();
  CompareAnswer answer;
  for (size_t i = 1; i < params.traces.size(); ++i) {
    const auto after = session.FindWhole(params.traces[i]);
    if (!after.ok()) return after.status();
    const std::vector<Change> changes =
        Compare(*(*before)->model, *(*after)->model, by, call.stop());
    if (call.IsCancelled()) return Cancelled();
    messages::Comparison& comparison =
        answer.comparisons.emplace_back(ComparisonMessage(by, changes, params.limit));
    comparison.before = (*before)->id;
    comparison.after = (*after)->id;
    comparison.span_before_ns = (*before)->summary.span_ns;
    comparison.span_after_ns = (*after)->summary.span_ns;
    comparison.complete =
        !(*before)->diagnostics.HasDataLoss() && !(*after)->diagnostics.HasDataLoss();
  }
  return answer;
}

}  // namespace

extern const RequestSpec kCompareRequest = LongRequest<&CompareRuns>("tasklens/compare");

}  // namespace tasklens
