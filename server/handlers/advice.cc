// SPDX-License-Identifier: Apache-2.0
// tasklens/advice: what is wrong with a run and what to try.
#include "server/answers/answers.h"
#include "server/handlers/advice_lines.h"
#include "server/handlers/columns.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

struct Params {
  std::string trace;
  void Visit(Fields& fields) { fields.Optional("trace", trace); }
};

// The line to look at first: that of the most expensive finding that has one, else the costliest.
// What no source is found for leads nowhere.
json FirstSite(const Session& session, const OpenTrace& trace,
               const std::vector<Finding>& findings) {
  const auto can_be_shown = [&](uint32_t site) {
    return site < trace.model->sites.size() && LocateSite(session, trace, site).ok();
  };
  for (const Finding& finding : findings)
    if (can_be_shown(finding.site)) return finding.site;
  for (const SiteCost& cost : trace.costs)
    if (can_be_shown(cost.site)) return cost.site;
  return nullptr;
}

Result<json> Advice(const Session& session, const Params& params, const Call& call) {
  const auto trace = session.FindWhole(params.trace);
  if (!trace.ok()) return trace.status();
  const auto all = (*trace)->views->Findings(call.stop());
  if (!all) return Cancelled();
  const std::vector<Finding> findings = Unsilenced(session, *all);
  const TraceModel& model = *(*trace)->model;
  json answer = CamelCase(AdviceAnswer(model, findings));
  answer["trace"] = (*trace)->id;
  answer["firstSite"] = FirstSite(session, **trace, findings);
  for (size_t i = 0; i < findings.size(); ++i) {
    const uint32_t site = findings[i].site;
    answer["findings"][i]["site"] = site < model.sites.size() ? json(site) : json();
  }
  return answer;
}

}  // namespace

extern const RequestSpec kAdviceRequest;
const RequestSpec kAdviceRequest = LongRequest<&Advice>("tasklens/advice");

}  // namespace tasklens
