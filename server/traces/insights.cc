// SPDX-License-Identifier: Apache-2.0
// Runs the analyses.
#include "server/traces/insights.h"

namespace tasklens {

Insights::Insights(const TraceModel& model, TraceViews& views, Stop stop)
    : sites(ReportSites(model, stop)), codelets(ReportCodelets(model, stop)) {
  if (const auto all = views.Findings(stop)) findings = *all;
  if (!Stopped(stop)) waits = WaitsBySite(model);
}

}  // namespace tasklens
