// SPDX-License-Identifier: Apache-2.0
// tasklens/advice: the problems of a run and what to try.
#include "analysis/advice.h"

#include "server/answers/answers.h"
#include "server/handlers/advice_lines.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

using messages::AdviceAnswer, messages::AdviceParams;

// The line to show first: that of the most expensive finding with a line, else the costliest line.
// A line whose source is not found is skipped.
std::optional<uint64_t> FirstSite(const Session& session, const OpenTrace& trace,
                                  const std::vector<Finding>& findings) {
  const auto can_be_shown = [&](uint32_t site) {
    return site < trace.model->sites.size() && LocateSite(session, trace, site).ok();
  };
  for (const Finding& finding : findings)
    if (can_be_shown(finding.site)) return finding.site;
  for (const SiteCost& cost : trace.costs)
    if (can_be_shown(cost.site)) return cost.site;
  return std::nullopt;
}

Result<AdviceAnswer> Advice(const Session& session, const AdviceParams& params, const Call& call) {
  const auto trace = session.FindWhole(params.trace);
  if (!trace.ok()) return trace.status();
  const auto all = (*trace)->views->Findings(call.stop());
  if (!all) return Cancelled();
  const std::vector<Finding> findings = Unsilenced(session, *all);
  return AdviceAnswer{{.findings = FindingMessages(*(*trace)->model, findings)},
                      (*trace)->id,
                      FirstSite(session, **trace, findings)};
}

}  // namespace

extern const RequestSpec kAdviceRequest = LongRequest<&Advice>("tasklens/advice");

}  // namespace tasklens
