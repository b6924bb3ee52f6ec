// SPDX-License-Identifier: Apache-2.0
// tasklens/overview: where the time went, in one answer, for the first screen of the web app.
#include "server/report/overview.h"

#include <utility>

#include "analysis/advice.h"
#include "server/answers/answers.h"
#include "server/handlers/advice_lines.h"
#include "server/handlers/request.h"
#include "trace/support/beside.h"

namespace tasklens {
namespace {

using messages::OverviewAnswer, messages::OverviewParams;

Result<OverviewAnswer> Overview(const Session& session, const OverviewParams& params,
                                const Call& call) {
  const auto trace = params.reasons ? session.FindWhole(params.trace) : session.Find(params.trace);
  if (!trace.ok()) return trace.status();
  const TraceModel& model = *(*trace)->model;
  OverviewAnswer answer = OverviewMessage(**trace, params.limit);
  if (!params.reasons && !(*trace)->IsWhole()) {
    // The beginning of a trace yields no reasons, but the activity of the workers is computed
    // quickly.
    const auto idle = (*trace)->views->Idleness(call.stop());
    if (!idle) return Cancelled();
    answer.profile = ProfileMessage(model, *idle);
  }
  if (!params.reasons) return answer;
  TraceViews& views = *(*trace)->views;
  // Analyses that do not need the idle times run in parallel with them.
  auto of_dependencies = Beside(
      [&] { return std::pair(views.LowerBounds(call.stop()), views.Critical(call.stop())); });
  const auto idle = views.Idleness(call.stop());
  const auto findings = views.Findings(call.stop());
  const auto [bounds, path] = of_dependencies.get();
  if (!idle || !findings || !bounds || !path || call.IsCancelled()) return Cancelled();
  AddReasons(model, *idle, *bounds, *path, answer);
  answer.findings = FindingMessages(model, Unsilenced(session, *findings));
  return answer;
}

}  // namespace

extern const RequestSpec kOverviewRequest = LongRequest<&Overview>("tasklens/overview");

}  // namespace tasklens
