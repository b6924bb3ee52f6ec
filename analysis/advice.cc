// SPDX-License-Identifier: Apache-2.0
// Runs every rule.
#include "analysis/advice.h"

#include <algorithm>

#include "analysis/rules/context.h"

namespace tasklens {
namespace {

constexpr AdviceRule kRules[] = {
#define RULE(Name, id, limit, summary) {id, CostLimit::limit, summary, &Find##Name},
#include "analysis/advice_rules.inc"
#undef RULE
};

}  // namespace

std::string_view AdviceSeverityName(AdviceSeverity severity) {
  switch (severity) {
    case AdviceSeverity::kError: return "error";
    case AdviceSeverity::kWarning: return "warning";
    case AdviceSeverity::kInformation: return "information";
  }
  return "information";
}

std::span<const AdviceRule> AdviceRules() { return kRules; }

std::vector<Finding> Advise(const TraceModel& model, Stop stop) {
  return Advise(model, ExplainIdleness(model, stop), stop);
}

std::vector<Finding> Advise(const TraceModel& model, const IdleReport& idle, Stop stop) {
  const AdviceContext context(model, idle, stop);
  std::vector<Finding> findings;
  for (const AdviceRule& rule : kRules) {
    if (Stopped(stop)) return findings;
    const size_t before = findings.size();
    rule.find(context, findings);
    context.LimitCosts(rule.limit, findings, before);
    for (size_t i = before; i < findings.size(); ++i) findings[i].rule = rule.id;
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.cost_ns > b.cost_ns; });
  return findings;
}

}  // namespace tasklens
